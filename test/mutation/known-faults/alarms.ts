import type { KnownFault } from './known-fault.ts'

const alarmTests = 'test/unit/infra/constructs/monitoring/service-alarms.test.ts'
const logTests = 'test/unit/infra/constructs/monitoring/logs.test.ts'
const file = 'infra/constructs/monitoring/service-alarms.ts'

/** Faults of alarms: nobody is told, or somebody is told for nothing. */
export const alarms: readonly KnownFault[] = [
  {
    title: 'an alarm does not say that it has ended',
    file,
    find: 'alarm.addOkAction(action)',
    replaceBy: '',
    test: alarmTests,
  },
  {
    title: 'nobody is told that gateway-keys does not run',
    file,
    find: 'mustHaveValues: true,',
    replaceBy: '',
    test: alarmTests,
  },
  {
    title: 'the reserved operation raises the alarm of server errors',
    file,
    find: ' && ($.status != "501")',
    replaceBy: '',
    test: logTests,
  },
  {
    title: 'a burst of errors of one minute wakes somebody',
    file,
    find: 'datapointsToAlarm: 2,',
    replaceBy: 'datapointsToAlarm: 1,',
    test: alarmTests,
  },
  {
    title: 'a few slow requests at night wake somebody',
    file,
    find: "expression: 'IF(requests >= 20, slowest, 0)',",
    replaceBy: "expression: 'IF(requests >= 1, slowest, 0)',",
    test: alarmTests,
  },
  {
    title: 'anybody may publish to the topic of the alarms',
    file,
    find: "new ServicePrincipal('cloudwatch.amazonaws.com', { conditions: sameAccount })",
    replaceBy: "new ServicePrincipal('cloudwatch.amazonaws.com')",
    test: alarmTests,
  },
  {
    title: 'an access log that has stopped is not noticed',
    file,
    find: "expression: '100 * (requests - lines) / requests',",
    replaceBy: "expression: '100 * (lines - requests) / requests',",
    test: alarmTests,
  },
  {
    title: 'an operator finds no key in the access log',
    file: 'infra/constructs/monitoring/logs.ts',
    find: "keyId: Field.contextAuthorizer('keyId' satisfies keyof AuthorizerContext),",
    replaceBy: "keyId: Field.contextAuthorizer('plan' satisfies keyof AuthorizerContext),",
    test: logTests,
  },
]
