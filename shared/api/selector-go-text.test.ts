import { expect, test } from "vitest";
import { goTextOfSelector } from "./selector-go-text.ts";

test.each([
  {
    name: "nothing asked for",
    selector: {},
    want: "&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{},}",
  },
  {
    name: "labels by name, expressions in their order",
    selector: {
      matchLabels: { b: "2", a: "1" },
      matchExpressions: [
        { key: "k", operator: "In", values: ["x", "y"] },
        { key: "e", operator: "Exists" },
      ],
    },
    want: "&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},LabelSelectorRequirement{Key:e,Operator:Exists,Values:[],},},}",
  },
])("$name", ({ selector, want }) => expect(goTextOfSelector(selector)).toBe(want));
