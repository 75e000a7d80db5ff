import { expect, it } from 'vitest'
import { createPet as contract } from '../../../../shared/contract/generated/create-pet.ts'
import type { GatewayEvent } from '../../../../shared/http/gateway-event.ts'
import { maximumBodyBytes } from '../../../../shared/http/json-body.ts'
import { operation } from '../../../../shared/http/operation.ts'
import { created } from '../../../../shared/http/response.ts'
import { gatewayEvent, lambdaContext, withHeader } from '../../../events/events.ts'

// Bodies that are sent as text are rows of test/requests/create-pet.ts.

/** An operation that responds with the body of `createPet`, under an id. */
const echo = operation(contract, async ({ body }) => created({ id: 0n, ...body }))

const post = async (body: string | null, change: (event: GatewayEvent) => GatewayEvent = (event) => event) => {
  const { statusCode, body: text } = await echo(change(gatewayEvent('create-pet', { body })), lambdaContext)
  const { name, code } = JSON.parse(text)
  return { status: statusCode, ...(code === undefined ? { name } : { code }) }
}

const typed =
  (...types: string[]) =>
  (event: GatewayEvent) =>
    withHeader(event, 'Content-Type', ...types)

const encoded = (event: GatewayEvent): GatewayEvent => ({
  ...event,
  body: Buffer.from(event.body ?? '').toString('base64'),
  isBase64Encoded: true,
})

const zoe = '{"name":"Zoë","categoryId":1}'
const padded = (bytes: number) => zoe.replace(',', `,${' '.repeat(bytes - Buffer.byteLength(zoe))}`)

const added = { status: 201, name: 'Zoë' }
const unsupported = { status: 415, code: 'unsupported_media_type' }
const tooLarge = { status: 413, code: 'request_too_large' }

it.each([
  ['is decoded where API Gateway sent it as base64', zoe, encoded, added],
  ['is missing where API Gateway sent nothing', null, undefined, { status: 400, code: 'invalid_body' }],
  ['is refused without a type', zoe, typed(), unsupported],
  ['is refused with two types', zoe, typed('application/json', 'application/json'), unsupported],
  ['is refused for its type before its content', '{not json', typed('text/plain'), unsupported],
  ['is refused for its type where there is none', null, typed('text/plain'), unsupported],
  ['is read up to 16 KB', padded(maximumBodyBytes), undefined, added],
  ['is read up to 16 KB of base64', padded(maximumBodyBytes), encoded, added],
  ['is refused above 16 KB', padded(maximumBodyBytes + 1), undefined, tooLarge],
  ['is refused above 16 KB of base64', padded(maximumBodyBytes + 1), encoded, tooLarge],
  ['is measured in bytes, not in characters', `"${'é'.repeat(maximumBodyBytes / 2)}"`, undefined, tooLarge],
  ['is measured before its type is read', ' '.repeat(maximumBodyBytes + 1), typed('text/plain'), tooLarge],
] as const)('the body %s', async (_what, body, change, response) => {
  expect(await post(body, change)).toEqual(response)
})
