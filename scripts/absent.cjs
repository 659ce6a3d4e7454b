/* Stands in the bundle for a part of undici that the action never uses; using it after all is a defect of the build. */
'use strict';

module.exports = () => {
  throw new Error('This part of undici is not in the bundle.');
};
