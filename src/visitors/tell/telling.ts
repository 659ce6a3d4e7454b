import type { ModeResult } from '../../core/mode-result.ts';
import type { SizeLimit } from './blocks.ts';
import { contentsOf, type Report } from './content.ts';
import { renderProjects } from './projects/report.ts';
import { projectsResult } from './projects/reported.ts';
import { renderReport } from './report.ts';
import { type Delivery, reportedResult } from './reported.ts';

/** A report in words. */
export interface Telling {
  /** As Markdown. */
  render(limit: SizeLimit): string;
  /** The end of the run. */
  result(delivery: Delivery): ModeResult;
}

/** One project's report is its own; that of several is a table, and a section for each. */
export function tellingOf(report: Report): Telling {
  const [only] = contentsOf(report);
  return only !== undefined && report.projects.length === 1
    ? {
        render: (limit) => renderReport(only, limit),
        result: (delivery) => reportedResult(only, delivery),
      }
    : {
        render: (limit) => renderProjects(report, limit),
        result: (delivery) => projectsResult(report, delivery),
      };
}
