import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface AwsResponse {
  readonly status: number
  readonly body: string
}

/** Serves a part of AWS on this machine. @returns its endpoint */
export const serveAws = async (
  respond: (body: string, headers: IncomingHttpHeaders) => AwsResponse,
): Promise<string> => {
  const server = createServer(async (request, response) => {
    const { status, body } = respond(await text(request), request.headers)
    response.writeHead(status, { 'Content-Type': 'text/xml' }).end(body)
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  // A server that listens on a port gives its address as an object.
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

/** A result as CloudFormation and STS write it. */
export const awsResult = (action: string, body: string): AwsResponse => ({
  status: 200,
  body: `<${action}Response><${action}Result>${body}</${action}Result></${action}Response>`,
})

/** An error as CloudFormation and STS write it. */
export const awsError = (code: string, message: string, status = 400): AwsResponse => ({
  status,
  body: `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
})

export const missingStack = (name: string): AwsResponse =>
  awsError('ValidationError', `Stack with id ${name} does not exist`)
