import type { Behaviour } from './behaviour.ts'

const gateway = 'apigateway/latest/developerguide'
const lambda = 'lambda/latest/dg'
const database = 'amazondynamodb/latest/developerguide'
const stacks = 'AWSCloudFormation/latest/UserGuide'
const releases = 'codedeploy/latest/userguide'
const metrics = 'AmazonCloudWatch/latest/monitoring'
const files = 'AmazonCloudFront/latest/DeveloperGuide'
const everywhere = 'locally and on the emulator'

/** The behaviours of AWS that no request shows, or only one that would do harm. */
export const hiddenBehaviours: readonly Behaviour[] = [
  {
    behaviour: 'An authorizer that throws exactly Unauthorized is UNAUTHORIZED, 401.',
    source: 'record',
    tested: everywhere,
  },
  {
    behaviour: 'An authorizer that throws anything else, or crashes, is 500 AuthorizerConfigurationException.',
    source: 'record',
    tested: 'locally',
  },
  {
    behaviour: 'The authorizer comes before the API key: a denied request gets no error about the key.',
    source: 'record',
    tested: 'locally',
  },
  { behaviour: 'An API key that is unknown is INVALID_API_KEY, 403.', source: 'record', tested: 'locally' },
  {
    behaviour: 'A customised type takes nothing from DEFAULT_4XX; one that is not takes all.',
    source: 'record',
    tested: 'locally',
  },
  { behaviour: 'The JSON template is used whatever Accept says.', source: 'record', tested: 'locally' },
  {
    behaviour: 'A throttled function is INTEGRATION_FAILURE where that type is customised.',
    source: 'record',
    tested: 'never',
  },
  {
    behaviour: 'A new API key can take minutes to work, and usage plans are best effort.',
    source: 'record',
    tested: 'never',
  },
  {
    behaviour: 'A usage plan throttles each of its API keys by a token bucket, and counts its requests of a day.',
    source: `${gateway}/api-gateway-api-usage-plans.html`,
    tested: 'locally',
  },
  {
    behaviour: 'The throttle of a stage applies to each method by itself.',
    source: `${gateway}/api-gateway-request-throttling.html`,
    tested: 'never',
  },
  {
    behaviour: 'An account has 10,000 API keys, and 10 calls a second to manage all its APIs.',
    source: `${gateway}/limits.html`,
    tested: 'never',
  },
  {
    behaviour: 'The access log has the context of the authorizer, the latencies and the type of the gateway response.',
    source: `${gateway}/api-gateway-variables-for-access-logging.html`,
    tested: 'never',
  },
  {
    behaviour: 'A base path mapping maps `v1` of a domain to the stage.',
    source: `${gateway}/rest-api-mappings.html`,
    tested: 'never',
  },
  {
    behaviour: 'With a domain the default endpoint can be disabled.',
    source: `${gateway}/rest-api-disable-default-endpoint.html`,
    tested: 'never',
  },
  {
    behaviour: 'A security policy refuses old TLS; `STRICT` refuses requests for another host name.',
    source: `${gateway}/apigateway-security-policies.html`,
    tested: 'never',
  },
  {
    behaviour: 'A function of `nodejs24.x` on arm64 runs the handler of `index.js`.',
    source: `${lambda}/lambda-runtimes.html`,
    tested: everywhere,
  },
  {
    behaviour: 'An instance serves one request at a time and keeps its state for the next.',
    source: `${lambda}/lambda-runtime-environment.html`,
    tested: everywhere,
  },
  {
    behaviour: 'An alias sends a share of its requests to a second version.',
    source: `${lambda}/configuring-alias-routing.html`,
    tested: 'never',
  },
  {
    behaviour: 'The functions of an account share 1,000 instances, a new account fewer; 100 stay unreserved.',
    source: `${lambda}/configuration-concurrency.html`,
    tested: 'never',
  },
  {
    behaviour: 'With JSON logs a line has the level and the message of `console`, and `platform.report` the duration.',
    source: `${lambda}/monitoring-cloudwatchlogs-logformat.html`,
    tested: 'never',
  },
  {
    behaviour: 'A conditional write of one item is atomic.',
    source: `${database}/Expressions.ConditionExpressions.html`,
    tested: everywhere,
  },
  {
    behaviour: 'A refused conditional write returns the item, where it asks for it.',
    source: 'amazondynamodb/latest/APIReference/API_UpdateItem.html',
    tested: everywhere,
  },
  {
    behaviour: 'A global secondary index is eventually consistent.',
    source: `${database}/HowItWorks.ReadConsistency.html`,
    tested: 'never',
  },
  {
    behaviour: 'An item takes 1,000 writes per second.',
    source: `${database}/bp-partition-key-design.html`,
    tested: 'never',
  },
  {
    behaviour: 'An expired item is deleted some time later, and read until then.',
    source: `${database}/TTL.html`,
    tested: 'never',
  },
  {
    behaviour: 'A table can be restored to any second of 35 days; a deleted one has a system backup.',
    source: `${database}/PointInTimeRecovery_Howitworks.html`,
    tested: 'never',
  },
  {
    behaviour: 'CloudFormation deletes no output that another stack imports.',
    source: `${stacks}/using-cfn-stack-exports.html`,
    tested: 'never',
  },
  {
    behaviour: 'A stack in `UPDATE_ROLLBACK_FAILED` continues after its cause is removed.',
    source: `${stacks}/using-cfn-updating-stacks-continueupdaterollback.html`,
    tested: 'never',
  },
  {
    behaviour: 'CodeDeploy moves 10 % of the requests, and the rest five minutes later.',
    source: `${releases}/deployment-configurations.html`,
    tested: 'never',
  },
  {
    behaviour: 'A release that is stopped, or in whose time an alarm goes off, is rolled back.',
    source: `${releases}/deployments-rollback-and-redeploy.html`,
    tested: 'never',
  },
  {
    behaviour: 'A metric filter counts lines of JSON by their fields, with dimensions.',
    source: 'AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html',
    tested: 'never',
  },
  {
    behaviour: 'A search finds the functions of an environment by the beginning of their names.',
    source: `${metrics}/search-expression-syntax.html`,
    tested: 'never',
  },
  {
    behaviour: 'An alarm computes its value from several metrics.',
    source: `${metrics}/using-metric-math.html`,
    tested: 'never',
  },
  {
    behaviour: 'CloudWatch sends to an encrypted topic whose key allows it.',
    source: 'sns/latest/dg/sns-key-management.html',
    tested: 'never',
  },
  {
    behaviour: 'A budget sends to a topic whose policy allows it.',
    source: 'cost-management/latest/userguide/budgets-sns-policy.html',
    tested: 'never',
  },
  {
    behaviour: 'A rate-based rule blocks an address above a number of requests in five minutes.',
    source: 'waf/latest/developerguide/waf-rule-statement-type-rate-based.html',
    tested: 'never',
  },
  {
    behaviour: 'A request with `Sampled=1` is traced, where tracing is on.',
    source: 'xray/latest/devguide/xray-concepts.html',
    tested: 'never',
  },
  {
    behaviour: 'CloudFront reads a private bucket with origin access control.',
    source: `${files}/private-content-restricting-access-to-s3.html`,
    tested: 'on the emulator',
  },
  {
    behaviour: 'CloudFront adds the headers of a policy, and keeps a file as long as its `Cache-Control` says.',
    source: `${files}/understanding-response-headers-policies.html`,
    tested: 'on the emulator',
  },
  {
    behaviour: 'S3 responds 404 for a missing file to a reader that may list the bucket.',
    source: 'AmazonS3/latest/API/API_GetObject.html',
    tested: 'never',
  },
]
