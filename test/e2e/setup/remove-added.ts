import { DeleteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterAll, afterEach } from 'vitest'
import { addedPets } from '../api.ts'

/** `npm run smoke` on an environment on AWS names the table. */
const { PET_API_PETS_TABLE: petsTable } = process.env
const database = petsTable === undefined ? undefined : new DynamoDBClient({})

/** On an API with other callers, they see the pets of a test no longer than it lasts. */
const remove = async (): Promise<void> => {
  for (const N of addedPets.splice(0)) {
    await database?.send(new DeleteItemCommand({ TableName: petsTable, Key: { id: { N } } }))
  }
}

afterEach(remove)
afterAll(remove)
