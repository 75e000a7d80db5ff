import { DeleteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterAll, afterEach, beforeEach } from 'vitest'
import { addedPets } from '../api.ts'

const { PET_API_PETS_TABLE: petsTable } = process.env
const database = petsTable === undefined ? undefined : new DynamoDBClient({})

/** What the preparation of several tests has added. */
const addedBefore: string[] = []

/** On an API with other callers, they see the pets of a test no longer than it lasts. */
const remove = async (ids: string[]): Promise<void> => {
  for (const N of ids.splice(0)) {
    await database?.send(new DeleteItemCommand({ TableName: petsTable, Key: { id: { N } } }))
  }
}

beforeEach(() => {
  addedBefore.push(...addedPets.splice(0))
})
afterEach(() => remove(addedPets))
afterAll(() => remove([...addedBefore.splice(0), ...addedPets.splice(0)]))
