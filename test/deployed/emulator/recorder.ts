import { type ProxiedRequest, readDatabaseCalls, readHeader, startProxy } from '../../fixtures/proxy.ts'

/** A call of AWS as an IAM policy names it. */
export interface Permission {
  readonly action: string
  readonly resource: string
}

/** Passes calls on to the emulator, and records which permissions they need on AWS. */
export const startRecorder = async (emulator: string) => {
  const permissions: Permission[] = []
  const proxy = await startProxy(emulator, async (request, forward) => {
    // The scope of the signature: date, Region, service.
    const [, service = ''] = /Credential=[^/]+\/\d+\/[\w-]+\/(\w+)\//.exec(readHeader(request, 'authorization')) ?? []
    const resources = resourcesOf[service]?.(request) ?? [[request.method, request.path]]
    permissions.push(...resources.map(([action, resource]) => ({ action: `${service}:${action}`, resource })))
    return forward(request)
  })
  return { ...proxy, permissions }
}

const place = 'us-east-1:000000000000'

/** The actions of a request to a service, each with its resource. */
const resourcesOf: Readonly<
  Record<string, (request: ProxiedRequest) => (readonly [action: string, resource: string])[]>
> = {
  // AWS allows everybody to ask who they are.
  sts: () => [],
  cloudformation: ({ body }) => {
    const query = new URLSearchParams(body.toString())
    return [[String(query.get('Action')), `arn:aws:cloudformation:${place}:stack/${query.get('StackName')}/id`]]
  },
  dynamodb: (request) =>
    readDatabaseCalls(request).map(({ operation, resource }) => [
      operation,
      `arn:aws:dynamodb:${place}:table/${resource}`,
    ]),
  logs: (request) => {
    // The emulator names a log group /aws/cloudformation/<stack>/<id>; CloudFormation, as it does other resources.
    const { logGroupName } = JSON.parse(request.body.toString())
    const name = String(logGroupName).replace(/^\/aws\/cloudformation\/([^/]+)\//, '$1-')
    const [, action = ''] = readHeader(request, 'x-amz-target').split('.')
    return [[action, `arn:aws:logs:${place}:log-group:${name}:*`]]
  },
}
