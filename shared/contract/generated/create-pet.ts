// Generated from shared/contract/openapi.yaml by `npm run generate`. Do not edit.
import validate from './create-pet.validator.cjs'

export const createPet = {
  operationId: 'createPet',
  method: 'POST',
  takesBody: true,
  kinds: {
  "path": {},
  "query": {},
  "headers": {
    "Idempotency-Key": "text"
  },
  "body": {
    "name": "text",
    "categoryId": "integer",
    "status": "text"
  }
},
  rules: {
  "/headers/Idempotency-Key": "a string of 1 to 255 characters, all of them printable ASCII",
  "/body": "a JSON object with name and categoryId",
  "/body/name": "a string of 1 to 255 characters, not only spaces, and without U+0000 and U+FFFD",
  "/body/categoryId": "an integer from -9223372036854775808 to 9223372036854775807",
  "/body/status": "one of available, pending, sold"
},
  deprecation: null,
  defaults: {
    query: {},
    headers: {},
  },
  validate,
} as const
