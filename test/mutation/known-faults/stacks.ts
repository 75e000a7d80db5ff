import type { KnownFault } from './known-fault.ts'

const keptData = 'test/unit/infra/stacks/data-stack.test.ts'
const promisedValues = 'test/unit/infra/stacks/promised-values.test.ts'
const reference = 'test/unit/infra/stacks/reference-stack.test.ts'
const settings = 'test/unit/infra/stacks/check-settings.test.ts'
const apiStack = 'test/unit/infra/stacks/api-stack.test.ts'

/** Faults of the stacks and the settings of environments. */
export const stacks: readonly KnownFault[] = [
  {
    title: 'deleting a stack deletes the tables of production',
    file: 'infra/stacks/data-stack.ts',
    find: 'isProtected ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY',
    replaceBy: 'RemovalPolicy.DESTROY',
    test: keptData,
  },
  {
    title: 'the tables of production can be deleted by one call',
    file: 'infra/stacks/data-stack.ts',
    find: 'deletionProtection: isProtected,',
    replaceBy: '',
    test: promisedValues,
  },
  {
    title: 'the tables of production cannot be restored to a moment',
    file: 'infra/stacks/data-stack.ts',
    find: '{ pointInTimeRecoveryEnabled: isProtected }',
    replaceBy: '{ pointInTimeRecoveryEnabled: false }',
    test: promisedValues,
  },
  {
    title: 'idempotency records are never deleted',
    file: 'infra/stacks/data-stack.ts',
    find: 'timeToLiveAttribute: idempotencyTableSchema.timeToLive,',
    replaceBy: '',
    test: keptData,
  },
  {
    title: 'a list reads fields from the index that the index does not have',
    file: 'infra/stacks/data-stack.ts',
    find: 'sortKey: { name: statusIndex.sortKey, type: AttributeType.NUMBER },\n      projectionType: ProjectionType.ALL,',
    replaceBy:
      'sortKey: { name: statusIndex.sortKey, type: AttributeType.NUMBER },\n      projectionType: ProjectionType.KEYS_ONLY,',
    test: promisedValues,
  },
  {
    title: 'a release of production with errors is not rolled back',
    file: 'infra/stacks/api-stack.ts',
    find: 'stoppedDeployment: true, deploymentInAlarm: true',
    replaceBy: 'stoppedDeployment: true, deploymentInAlarm: false',
    test: apiStack,
  },
  {
    title: 'a release of production moves all traffic at once',
    file: 'infra/stacks/api-stack.ts',
    find: 'LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES',
    replaceBy: 'LambdaDeploymentConfig.ALL_AT_ONCE',
    test: promisedValues,
  },
  {
    title: 'anybody reads the bucket of the reference',
    file: 'infra/stacks/reference-stack.ts',
    find: 'blockPublicAccess: BlockPublicAccess.BLOCK_ALL,',
    replaceBy: '',
    test: reference,
  },
  {
    title: 'the reference page is shown in frames of other sites',
    file: 'infra/stacks/reference-stack.ts',
    find: 'frameOption: HeadersFrameOption.DENY, override',
    replaceBy: 'frameOption: HeadersFrameOption.SAMEORIGIN, override',
    test: reference,
  },
  {
    title: 'production is deployed without protected tables',
    file: 'infra/stacks/check-settings.ts',
    find: "if (name !== 'production' || data === 'protected') return",
    replaceBy: "if (name !== 'production' || data === 'protected' || data === undefined || name !== undefined) return",
    test: settings,
  },
  {
    title: 'a canary is deployed that nothing rolls back',
    file: 'infra/stacks/check-settings.ts',
    find: "if (release !== 'canary' || alarms) return",
    replaceBy: "if (release === 'canary' || alarms) return",
    test: settings,
  },
  {
    title: 'a plan is accepted whose requests one item cannot count',
    file: 'infra/stacks/check-settings.ts',
    find: 'if (perMinute <= maximumPerMinute) continue',
    replaceBy: 'if (perMinute <= 10 * maximumPerMinute) continue',
    test: settings,
  },
]
