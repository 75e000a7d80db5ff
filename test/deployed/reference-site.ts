import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import type { EnvironmentName } from '../../infra/environments.ts'
import { emulator } from './environments.ts'

export interface ReceivedResponse {
  readonly status: number | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface DeployedReference {
  /** Where the API is, as its stack says. */
  readonly apiUrl: string
  /** @param scheme by which CloudFront is asked */
  get(path: string, scheme?: 'http' | 'https'): Promise<ReceivedResponse>
}

/** The API reference of an environment, at the address that its stack tells. */
export const findReference = async (environment: EnvironmentName): Promise<DeployedReference> => {
  const { host } = new URL(await outputOf(`pet-adoption-${environment}-reference`, 'ReferenceUrl'))
  const { hostname, port } = new URL(emulator().endpoint)
  return {
    apiUrl: await outputOf(`pet-adoption-${environment}-api`, 'BaseUrl'),
    get: async (path, scheme = 'https') => {
      // The emulator knows distributions by the host that a request names, and is told the scheme.
      const asked = request({ hostname, port, path, headers: { host, 'x-forwarded-proto': scheme } }).end()
      const [response]: IncomingMessage[] = await once(asked, 'response')
      if (response === undefined) throw new Error(`There was no response for ${path}.`)
      return { status: response.statusCode, headers: response.headers, body: await text(response) }
    },
  }
}

const outputOf = async (stack: string, name: string): Promise<string> => {
  const { Stacks = [] } = await new CloudFormationClient({}).send(new DescribeStacksCommand({ StackName: stack }))
  const output = Stacks[0]?.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue
  if (output === undefined) throw new Error(`The stack ${stack} has no output ${name}.`)
  return output
}
