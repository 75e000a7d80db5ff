import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

interface Change {
  readonly method?: string
  /** They may be such as `fetch` would not send. */
  readonly headers?: Readonly<Record<string, string>>
  /** The address from which the request comes. */
  readonly localAddress?: string
}

/** Lists the tables of a database, unless the test changes the request. */
export const listTables = async (endpoint: string, { method = 'POST', headers = {}, ...options }: Change = {}) => {
  const sent = request(endpoint, { method, agent: false, headers: { ...ofListTables, ...headers }, ...options })
  sent.end(method === 'POST' ? '{}' : undefined)
  const [response]: IncomingMessage[] = await once(sent, 'response')
  if (response === undefined) throw new Error('There is no response.')
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

export const noTables = { status: 200, body: '{"TableNames":[]}' }

const ofListTables = {
  'Content-Type': 'application/x-amz-json-1.0',
  'X-Amz-Target': 'DynamoDB_20120810.ListTables',
  Authorization:
    'AWS4-HMAC-SHA256 Credential=local/20261102/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
  'X-Amz-Date': '20261102T120000Z',
}
