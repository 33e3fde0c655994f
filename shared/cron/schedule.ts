/** Due when the wall clock of the zone shows a minute that all fields allow. */
export interface FieldSchedule {
  kind: "fields";
  minutes: ReadonlySet<number>;
  hours: ReadonlySet<number>;
  daysOfMonth: ReadonlySet<number>;
  /** 1 to 12. */
  months: ReadonlySet<number>;
  /** 0 is Sunday. */
  daysOfWeek: ReadonlySet<number>;
  /** Both days must fit; else, when both are restricted, either of them will do (as in crontab(5)). */
  needsBothDays: boolean;
  /** From a TZ= or CRON_TZ= in front, which old objects may have. */
  zone?: string;
}

/** Due so long after the last time. */
export interface EverySchedule {
  kind: "every";
  /** Whole seconds, at least one. */
  everyMs: number;
  zone?: string;
}

export type CronSchedule = FieldSchedule | EverySchedule;
