// Generated from shared/contract/openapi.yaml by `npm run generate`. Do not edit.
import * as readers from '../../dynamodb/item-reader.ts'

/** The fields of a pet in the order of every response, each with the function that reads it from its attribute. */
export const petFieldReaders = {
  "id": readers.readInt64Attribute,
  "name": readers.readTextAttribute,
  "categoryId": readers.readInt64Attribute,
  "status": readers.createWordReader(["available","pending","sold"]),
} as const
