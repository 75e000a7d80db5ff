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

/** The operations, by their folders in `functions/`. */
export type OperationName = 'create-pet' | 'get-pet' | 'list-pets' | 'list-store-orders'
