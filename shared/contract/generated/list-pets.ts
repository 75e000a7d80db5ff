// Generated from shared/contract/openapi.yaml by `npm run generate`. Do not edit.
import validate from './list-pets.validator.cjs'

export const listPets = {
  operationId: 'listPets',
  method: 'GET',
  takesBody: false,
  kinds: {
  "path": {},
  "query": {
    "limit": "integer",
    "status": "text",
    "cursor": "text"
  },
  "headers": {},
  "body": {}
},
  rules: {
  "/query/limit": "an integer from 1 to 100",
  "/query/status": "one of available, pending, sold",
  "/query/cursor": "a string of 1 to 100 characters"
},
  deprecation: null,
  defaults: {
    query: {"limit": 20n},
    headers: {},
  },
  validate,
} as const
