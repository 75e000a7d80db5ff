import { afterAll, expect } from 'vitest'
import { checkResponse } from '../../fixtures/check-response.ts'
import { startTarget } from './environment.ts'
import { pathOf } from './hostile-request.ts'
import { createSender } from './send.ts'

/** An environment for one test file. Nothing that the file does to it may go wrong inside. */
export const target = await startTarget()
export const sender = createSender(target.baseUrl, 4)
afterAll(async () => {
  expect((await get('/pets?limit=1')).status).toBe(200)
  sender.close()
  await target.stop()
  expect(target.lines).toEqual([])
})

export type Header = readonly [name: string, value: string]

export const json: Header = ['Content-Type', 'application/json']

export interface ReceivedResponse {
  readonly status: number
  readonly json: { readonly [name: string]: unknown }
  readonly headers: Headers
}

/** Every response is checked against the contract, whatever a test asks of it besides. */
const call = async (
  method: string,
  path: string,
  headers: readonly Header[] = [],
  body?: string | Uint8Array,
): Promise<ReceivedResponse> => {
  const authorization: Header = ['Authorization', `Bearer ${target.apiKey}`]
  const message = {
    method,
    target: path,
    headers: [authorization, ...headers],
    ...(body === undefined ? {} : { body }),
  }
  const response = await sender.send(message)
  expect(checkResponse(method, pathOf(path), response)).toEqual([])
  return { ...response, json: JSON.parse(response.text) }
}

export const get = (path: string, ...headers: readonly Header[]) => call('GET', path, headers)

export const post = (body: string | Uint8Array, ...headers: readonly Header[]) =>
  call('POST', '/pets', headers.length === 0 ? [json] : headers, body)

const refusal = ({ status, json: { code, message } }: ReceivedResponse) => ({ status, code, message })

export const bella = '{"name":"Bella","categoryId":1}'

/** The newest pet: what came of the request before, if anything did. */
export const newest = async (): Promise<unknown> => {
  const headers: readonly Header[] = [['Authorization', `Bearer ${target.apiKey}`]]
  const { text } = await sender.send({ method: 'GET', target: '/pets?limit=1', headers })
  const [pet]: unknown[] = JSON.parse(text)
  return pet
}

export const expectRefused = async (
  response: Promise<ReceivedResponse>,
  status: number,
  code: string,
  message: string,
) => {
  expect(refusal(await response)).toEqual({ status, code, message: expect.stringContaining(message) })
}
