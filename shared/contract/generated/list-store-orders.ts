// Generated from shared/contract/openapi.yaml by `npm run generate`. Do not edit.
import { validate } from './list-store-orders.validator.js'

export const listStoreOrders = {
  ...({
  "operationId": "listStoreOrders",
  "takesBody": false,
  "parameters": {
    "path": {},
    "query": {},
    "headers": {}
  },
  "defaults": {
    "query": {}
  },
  "fields": {
    "query": [],
    "body": []
  },
  "rules": {},
  "deprecation": null
} as const),
  validate,
}
