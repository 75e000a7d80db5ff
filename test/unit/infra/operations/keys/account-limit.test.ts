import { APIGatewayClient, type GetApiKeysCommandInput } from '@aws-sdk/client-api-gateway'
import { expect, it } from 'vitest'
import { checkAccountLimit } from '../../../../../infra/operations/keys/deployed/gateway-keys.ts'

/** The real client of an account with so many keys, which it gives in pages of at most 500. */
const accountWith = (keys: number) => {
  const client = new APIGatewayClient({ region: 'us-east-1', credentials: { accessKeyId: 'x', secretAccessKey: 'x' } })
  const pages: unknown[] = []
  client.middlewareStack.add(
    () => async (given) => {
      // The only operation that is called.
      const { position = '0', limit = 25 } = given.input as GetApiKeysCommandInput
      pages.push(position)
      const start = Number(position)
      const end = Math.min(start + limit, keys)
      const items = Array.from({ length: end - start }, (_, index) => ({ id: `${start + index}` }))
      return { output: { items, ...(end < keys && { position: `${end}` }), $metadata: {} }, response: {} }
    },
    { step: 'build' },
  )
  return { client, pages }
}

it.each([0, 1, 500, 8_999])('says nothing of an account with %i keys', async (keys) => {
  const { client, pages } = accountWith(keys)
  expect(await checkAccountLimit(client)).toBeUndefined()
  expect(pages).toHaveLength(Math.max(1, Math.ceil(keys / 500)))
})

it.each([9_000, 9_999])('warns of an account with %i keys', async (keys) => {
  expect(await checkAccountLimit(accountWith(keys).client)).toContain(`${keys} of the 10000 API keys`)
})

it('refuses an account without room for a key', async () => {
  await expect(checkAccountLimit(accountWith(10_000).client)).rejects.toThrow('no more than 10000')
})
