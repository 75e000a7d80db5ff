// Generated from shared/contract/openapi.yaml by `npm run generate`. Do not edit.
import validate from './get-pet.validator.cjs'

export const getPet = {
  operationId: 'getPet',
  method: 'GET',
  takesBody: false,
  kinds: {
  "path": {
    "petId": "integer"
  },
  "query": {},
  "headers": {},
  "body": {}
},
  rules: {
  "/path/petId": "an integer from -9223372036854775808 to 9223372036854775807"
},
  deprecation: {
  "since": 1764892800000,
  "sunset": 1922659200000,
  "replacement": "/pets",
  "advice": "No other operation fetches a pet by its id: keep the pets that GET /pets returns."
},
  defaults: {
    query: {},
    headers: {},
  },
  validate,
} as const
