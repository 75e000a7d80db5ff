// Generated from shared/contract/openapi.yaml by `npm run generate`. Do not edit.
export const routes = [
  {
    "path": "/pets",
    "methods": [
      "GET",
      "POST"
    ]
  },
  {
    "path": "/pets/{petId}",
    "methods": [
      "GET"
    ]
  },
  {
    "path": "/store/orders",
    "methods": [
      "GET"
    ]
  }
] as const
