import type { KnownFault } from './known-fault.ts'

const restApi = 'test/unit/infra/constructs/api/pet-adoption-api.test.ts'
const gatewayResponses = 'test/unit/infra/constructs/api/gateway-responses.test.ts'
const edgeThrottle = 'test/unit/infra/constructs/api/usage-plans.test.ts'
const promisedValues = 'test/unit/infra/stacks/promised-values.test.ts'
const functionTests = 'test/unit/infra/constructs/functions/service-function.test.ts'

/** Faults of the constructs of the API and its functions. */
export const constructs: readonly KnownFault[] = [
  {
    title: 'a request without a usage plan is served',
    file: 'infra/constructs/api/pet-adoption-api.ts',
    find: 'apiKeyRequired: true,',
    replaceBy: 'apiKeyRequired: false,',
    test: restApi,
  },
  {
    title: 'the address without a domain accepts old versions of TLS',
    file: 'infra/constructs/api/pet-adoption-api.ts',
    find: 'resource.securityPolicy = transport.securityPolicy\n    resource.endpointAccessMode = transport.endpointAccessMode',
    replaceBy: '',
    test: restApi,
  },
  {
    title: 'a 401 does not say how to authenticate',
    file: 'infra/constructs/api/gateway-responses.ts',
    find: "code: 'unauthorized', headers: { 'WWW-Authenticate': 'Bearer' }",
    replaceBy: "code: 'unauthorized'",
    test: gatewayResponses,
  },
  {
    title: 'a response of the gateway cannot be read by web pages',
    file: 'infra/constructs/api/gateway-responses.ts',
    find: 'quoteHeaderValues({ ...crossOriginHeaders, ',
    replaceBy: 'quoteHeaderValues({ ',
    test: gatewayResponses,
  },
  {
    title: 'the gateway answers an outage without Retry-After',
    file: 'infra/constructs/api/gateway-responses.ts',
    find: ", headers: { 'Retry-After': unavailableRetryAfter }",
    replaceBy: '',
    test: gatewayResponses,
  },
  {
    title: 'many gateway responses are deployed at once and meet the limit of the account',
    file: 'infra/constructs/api/gateway-responses.ts',
    find: 'if (previous !== undefined) construct.node.addDependency(previous)',
    replaceBy: '',
    test: gatewayResponses,
  },
  {
    title: 'a web page may not send an Idempotency-Key',
    file: 'infra/constructs/api/preflight.ts',
    find: 'input.headers.map(({ name }) => name)',
    replaceBy: "input.headers.map(({ name }) => name).filter((name) => name === '')",
    test: 'test/unit/infra/constructs/api/preflight.test.ts',
  },
  {
    title: 'API Gateway refuses requests that the table has admitted',
    file: 'infra/constructs/api/usage-plans.ts',
    find: 'const slackSeconds = 5',
    replaceBy: 'const slackSeconds = 0',
    test: edgeThrottle,
  },
  {
    title: 'a caller behind one address is blocked within its plan',
    file: 'infra/constructs/api/web-firewall.ts',
    find: 'evaluationWindowSec: 300,',
    replaceBy: 'evaluationWindowSec: 600,',
    test: promisedValues,
  },
  {
    title: 'a rolled-back release cannot be deployed again',
    file: 'infra/constructs/functions/service-function.ts',
    find: 'RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE',
    replaceBy: 'RemovalPolicy.RETAIN',
    test: functionTests,
  },
  {
    title: 'each request writes lines into the log of its function',
    file: 'infra/constructs/functions/service-function.ts',
    find: 'systemLogLevelV2: SystemLogLevel.WARN,',
    replaceBy: 'systemLogLevelV2: SystemLogLevel.INFO,',
    test: promisedValues,
  },
  {
    title: 'a failed run of gateway-keys is repeated beside the next one',
    file: 'infra/constructs/api/gateway-keys.ts',
    find: 'retryAttempts: 0',
    replaceBy: 'retryAttempts: 2',
    test: promisedValues,
  },
]
