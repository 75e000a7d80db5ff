import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A call of AWS as an IAM policy names it. */
export interface Permission {
  readonly action: string
  readonly resource: string
}

export interface Recorder extends AsyncDisposable {
  readonly endpoint: string
  readonly permissions: readonly Permission[]
}

/** Passes calls on to the emulator, and records which permissions they need on AWS. */
export const startRecorder = async (emulator: string): Promise<Recorder> => {
  const permissions: Permission[] = []
  const { hostname, port } = new URL(emulator)
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming)
    const { method = '', url: path = '/', headers } = incoming
    // The scope of the signature: date, Region, service.
    const [, service = ''] = /Credential=[^/]+\/\d+\/[\w-]+\/(\w+)\//.exec(headers.authorization ?? '') ?? []
    const target = String(headers['x-amz-target'] ?? '').split('.')[1]
    permissions.push(...permissionsOf({ service, target, method, path, body: body.toString() }))
    const passed = request({ hostname, port, path, method, headers: incoming.rawHeaders }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders)
      response.pipe(outgoing)
    })
    passed.once('error', () => outgoing.destroy())
    passed.end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    // A server that listens on a port gives its address as an object.
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    permissions,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

interface Call {
  readonly service: string
  readonly target: string | undefined
  readonly method: string
  readonly path: string
  readonly body: string
}

const place = 'us-east-1:000000000000'

const permissionsOf = ({ service, target, method, path, body }: Call): readonly Permission[] => {
  switch (service) {
    // AWS allows everybody to ask who they are.
    case 'sts':
      return []
    case 'cloudformation': {
      const query = new URLSearchParams(body)
      const resource = `arn:aws:cloudformation:${place}:stack/${query.get('StackName')}/id`
      return [{ action: `cloudformation:${query.get('Action')}`, resource }]
    }
    case 'dynamodb': {
      const { TableName, IndexName, RequestItems = {} } = JSON.parse(body)
      const index = IndexName === undefined ? '' : `/index/${IndexName}`
      const tables = TableName === undefined ? Object.keys(RequestItems) : [`${TableName}${index}`]
      return tables.map((table) => ({
        action: `dynamodb:${target}`,
        resource: `arn:aws:dynamodb:${place}:table/${table}`,
      }))
    }
    case 'logs': {
      // The emulator names a log group /aws/cloudformation/<stack>/<id>; CloudFormation, as it does other resources.
      const name = String(JSON.parse(body).logGroupName).replace(/^\/aws\/cloudformation\/([^/]+)\//, '$1-')
      return [{ action: `logs:${target}`, resource: `arn:aws:logs:${place}:log-group:${name}:*` }]
    }
    case 'apigateway':
      return [{ action: `apigateway:${method}`, resource: `arn:aws:apigateway:us-east-1::${path.split('?')[0]}` }]
    default:
      return [{ action: `${service}:${target ?? method}`, resource: path }]
  }
}
