import { describe, expect, it } from "vitest";
import { Histogram, metricHead, metricSample } from "./exposition.ts";

it("escapes what would end a label", () => {
  expect(metricSample("requests_total", { path: 'a"b\\c\nd', code: "200" }, 3)).toBe(
    'requests_total{path="a\\"b\\\\c\\nd",code="200"} 3',
  );
  expect(metricSample("up", {}, 1)).toBe("up 1");
});

it("says what a metric is", () => {
  expect(metricHead("up", "gauge", "Whether it runs.")).toEqual(["# HELP up Whether it runs.", "# TYPE up gauge"]);
});

describe("a histogram", () => {
  it("adds its buckets up, a bound counts to its own", () => {
    const histogram = new Histogram([0.5, 1]);
    for (const value of [0.25, 0.5, 0.75, 4]) histogram.observe(value);
    expect(histogram.render("took", { verb: "GET" })).toEqual([
      'took_bucket{verb="GET",le="0.5"} 2',
      'took_bucket{verb="GET",le="1"} 3',
      'took_bucket{verb="GET",le="+Inf"} 4',
      'took_sum{verb="GET"} 5.5',
      'took_count{verb="GET"} 4',
    ]);
  });

  it("is there before the first value", () => {
    expect(new Histogram([1]).render("took", {})).toEqual([
      'took_bucket{le="1"} 0',
      'took_bucket{le="+Inf"} 0',
      "took_sum 0",
      "took_count 0",
    ]);
  });
});
