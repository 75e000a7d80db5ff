import { callsOf, headerOf, type LocalProxy, type PassedRequest, startProxy } from '../../fixtures/proxy.ts'

/** A call of AWS as an IAM policy names it. */
export interface Permission {
  readonly action: string
  readonly resource: string
}

export interface Recorder extends LocalProxy {
  readonly permissions: readonly Permission[]
}

/** Passes calls on to the emulator, and records which permissions they need on AWS. */
export const startRecorder = async (emulator: string): Promise<Recorder> => {
  const permissions: Permission[] = []
  const proxy = await startProxy(emulator, async (request, forward) => {
    permissions.push(...permissionsOf(request))
    return forward(request)
  })
  return { ...proxy, permissions }
}

const place = 'us-east-1:000000000000'

const permissionsOf = (request: PassedRequest): readonly Permission[] => {
  // The scope of the signature: date, Region, service.
  const [, service = ''] = /Credential=[^/]+\/\d+\/[\w-]+\/(\w+)\//.exec(headerOf(request, 'authorization')) ?? []
  const body = request.body.toString()
  switch (service) {
    // AWS allows everybody to ask who they are.
    case 'sts':
      return []
    case 'cloudformation': {
      const query = new URLSearchParams(body)
      const resource = `arn:aws:cloudformation:${place}:stack/${query.get('StackName')}/id`
      return [{ action: `cloudformation:${query.get('Action')}`, resource }]
    }
    case 'dynamodb':
      return callsOf(request).map(({ operation, resource }) => ({
        action: `dynamodb:${operation}`,
        resource: `arn:aws:dynamodb:${place}:table/${resource}`,
      }))
    case 'logs': {
      // The emulator names a log group /aws/cloudformation/<stack>/<id>; CloudFormation, as it does other resources.
      const name = String(JSON.parse(body).logGroupName).replace(/^\/aws\/cloudformation\/([^/]+)\//, '$1-')
      const target = headerOf(request, 'x-amz-target').split('.')[1]
      return [{ action: `logs:${target}`, resource: `arn:aws:logs:${place}:log-group:${name}:*` }]
    }
    default:
      return [{ action: `${service}:${request.method}`, resource: request.path }]
  }
}
