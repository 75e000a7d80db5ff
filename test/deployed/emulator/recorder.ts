import type { Permission } from '../../fixtures/commands/operator-policy.ts'
import { type ProxiedRequest, readDatabaseCalls, readHeader, startProxy } from '../../fixtures/machine/proxy.ts'

const regionAndAccount = 'us-east-1:000000000000'

const readCloudFormationPermission = ({ body }: ProxiedRequest): Permission => {
  const query = new URLSearchParams(body.toString())
  return {
    action: `cloudformation:${query.get('Action')}`,
    // An ARN ends with the id of the stack, which a request does not have.
    resource: `arn:aws:cloudformation:${regionAndAccount}:stack/${query.get('StackName')}/id`,
  }
}

const readDynamoDbPermissions = (request: ProxiedRequest): Permission[] =>
  readDatabaseCalls(request).map(({ operation, resource }) => ({
    action: `dynamodb:${operation}`,
    resource: `arn:aws:dynamodb:${regionAndAccount}:table/${resource}`,
  }))

/** Reads which permissions a request to AWS needs. */
const readPermissions = (request: ProxiedRequest): readonly Permission[] => {
  // The credential of the signature has the date, the Region and the service.
  const signature = /Credential=[^/]+\/\d+\/[\w-]+\/(\w+)\//.exec(readHeader(request, 'authorization'))
  const service = signature?.[1] ?? ''
  switch (service) {
    case 'sts':
      // Everybody may call GetCallerIdentity.
      return []
    case 'cloudformation':
      return [readCloudFormationPermission(request)]
    case 'dynamodb':
      return readDynamoDbPermissions(request)
    default:
      // No policy has such an action, so the test that reads the permissions fails and names the request.
      return [{ action: `${service}:${request.method}`, resource: request.path }]
  }
}

/** Starts a proxy that forwards calls to the emulator, and records which permissions they need on AWS. */
export const startRecorder = async (emulatorUrl: string) => {
  const permissions: Permission[] = []
  const proxy = await startProxy(emulatorUrl, async (request, forward) => {
    permissions.push(...readPermissions(request))
    return forward(request)
  })
  return { ...proxy, permissions }
}
