import { expect, test } from 'vitest'
import { dataOf } from '../../../../../infra/reference/clients/typescript/pet-adoption-client.ts'

test('dataOf returns undefined for a success without a body', async () => {
  const response = new Response(null, { status: 204 })

  expect(await dataOf({ response })).toBeUndefined()
})

test('dataOf throws for an error without a body', async () => {
  const response = new Response(null, { status: 502 })

  await expect(dataOf({ response })).rejects.toMatchObject({ name: 'PetAdoptionError', status: 502 })
})
