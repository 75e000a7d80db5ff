import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'

/** An AWS that answers every call with one error, as CloudFormation words it. */
const serveError = async (status: number, code: string, message: string): Promise<string> => {
  const body = `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(status, { 'Content-Type': 'text/xml' }).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.')
  return `http://127.0.0.1:${address.port}`
}

const issueKey = (endpoint: string): Promise<{ exitCode: number; output: string; errors: string }> =>
  new Promise((resolve) => {
    const variables = {
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'x',
      AWS_SECRET_ACCESS_KEY: 'x',
    }
    const words = ['infra/operations/keys/keys.ts', 'issue', '--env', 'production', '--plan', 'free', '--owner', 'x']
    execFile(process.execPath, words, { env: { ...process.env, ...variables } }, (error, output, errors) =>
      resolve({ exitCode: error === null ? 0 : Number(error.code ?? 1), output, errors }),
    )
  })

it.each([
  [403, 'ExpiredToken', 'The security token included in the request is expired', 'The AWS credentials have expired.'],
  [403, 'InvalidClientTokenId', 'The security token is invalid', 'AWS does not accept the credentials.'],
  [403, 'SignatureDoesNotMatch', 'The signature does not match', 'AWS does not accept the credentials.'],
  [
    403,
    'AccessDenied',
    'User: x is not authorized to perform: cloudformation:DescribeStacks',
    'is not authorized to perform',
  ],
  [
    403,
    'AccessDenied',
    'No &#x9b;2J escape and no&#xA;second line',
    'do not allow this: No \\u{9b}2J escape and no\\u{a}second line',
  ],
  [400, 'Strange', 'No &#x9b;2J escape and no&#xA;second line', 'No \\u{9b}2J escape and no\\u{a}second line'],
  [400, 'Throttling', 'Rate exceeded', 'Retry in a minute.'],
  [
    400,
    'ValidationError',
    'Stack with id pet-adoption-production-data does not exist',
    'The stack pet-adoption-production-data is not deployed in us-east-1',
  ],
])('answers %i %s of AWS with one clear line and exit code 1', async (status, code, message, sentence) => {
  const { exitCode, output, errors } = await issueKey(await serveError(status, code, message))
  expect({ exitCode, output }).toEqual({ exitCode: 1, output: '' })
  expect(errors).toContain(sentence)
  expect(errors.trim().split('\n')).toHaveLength(1)
})
