import { type EmulatorProxy, headerOf, type PassedRequest, startProxy } from './proxy.ts'

/** A call of AWS as an IAM policy names it. */
export interface Permission {
  readonly action: string
  readonly resource: string
}

export interface Recorder extends EmulatorProxy {
  readonly permissions: readonly Permission[]
}

/** Passes calls on to the emulator, and records which permissions they need on AWS. */
export const startRecorder = async (emulator: string): Promise<Recorder> => {
  const permissions: Permission[] = []
  const proxy = await startProxy(emulator, (call) => {
    permissions.push(...permissionsOf(call))
    return call
  })
  return { ...proxy, permissions }
}

const place = 'us-east-1:000000000000'

const permissionsOf = (call: PassedRequest): readonly Permission[] => {
  const { method, path } = call
  // The scope of the signature: date, Region, service.
  const [, service = ''] = /Credential=[^/]+\/\d+\/[\w-]+\/(\w+)\//.exec(headerOf(call, 'authorization')) ?? []
  const target = headerOf(call, 'x-amz-target').split('.')[1]
  const body = call.body.toString()
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
