import { CfnQueryDefinition, type ILogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import type { EnvironmentName } from '../../environments.ts'

/** What the runbook asks the access log, by the names of the saved queries. */
export const accessLogQueries = {
  'failures-by-route': [
    'filter status like /^5/ and status != "501"',
    'stats count(*) as failures by method, route, status, responseType',
    'sort failures desc',
  ],
  'slowest-routes': [
    'stats count(*) as requests, pct(latency, 99), pct(authorizerLatency, 99), pct(integrationLatency, 99) by method, route',
    'sort requests desc',
  ],
  'who-is-limited': [
    'filter status = "429"',
    'stats count(*) as refused by keyId, plan, errorCode, responseType',
    'sort refused desc',
  ],
  'requests-by-key': ['stats count(*) as requests by keyId, plan, status', 'sort requests desc'],
  'requests-by-status': ['stats count(*) as requests by method, route, status', 'sort requests desc'],
  // The ids are filled in by hand.
  'one-request': [
    'filter extendedRequestId = "..." or requestId = "..."',
    'display extendedRequestId, requestId, keyId, method, route, status, errorCode, responseType, authorizerRequestId, integrationRequestId',
  ],
} as const satisfies Record<string, readonly string[]>

/** What it asks the logs of the functions. A refused key is an error to Lambda, and none of the service. */
const functionErrors = [
  'filter @message not like /"errorMessage": *"Unauthorized"/ and level in ["WARN", "ERROR", "FATAL"]',
  'display @timestamp, @log, requestId, @message',
  'sort @timestamp desc',
]

export interface SavedQueriesProps {
  readonly environment: EnvironmentName
  readonly accessLog: ILogGroup
  readonly functionLogs: readonly ILogGroup[]
}

/** The saved queries of CloudWatch Logs Insights, in the folder `pet-adoption-<environment>`. */
export class SavedQueries extends Construct {
  constructor(scope: Construct, id: string, { environment, accessLog, functionLogs }: SavedQueriesProps) {
    super(scope, id)
    const save = (name: string, lines: readonly string[], logGroups: readonly ILogGroup[]) =>
      new CfnQueryDefinition(this, name, {
        name: `pet-adoption-${environment}/${name}`,
        queryString: lines.join('\n| '),
        logGroupNames: logGroups.map(({ logGroupName }) => logGroupName),
      })
    for (const [name, lines] of Object.entries(accessLogQueries)) save(name, lines, [accessLog])
    save('function-errors', functionErrors, functionLogs)
  }
}
