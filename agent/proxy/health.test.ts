import { expect, it } from "vitest";
import { renderHealth } from "./health.ts";

it.each([
  { localEndpoints: 2, isHealthy: true, status: 200 },
  { localEndpoints: 0, isHealthy: true, status: 503 },
  { localEndpoints: 2, isHealthy: false, status: 503 },
])("$localEndpoints endpoints, healthy: $isHealthy", ({ localEndpoints, isHealthy, status }) => {
  const answer = renderHealth({ service: "shop/web", port: 31000, localEndpoints }, isHealthy);
  expect(answer.status).toBe(status);
  expect(answer.headers["x-load-balancing-endpoint-weight"]).toBe(String(localEndpoints));
  expect(JSON.parse(answer.body)).toEqual({
    service: { namespace: "shop", name: "web" },
    localEndpoints,
    serviceProxyHealthy: isHealthy,
  });
});
