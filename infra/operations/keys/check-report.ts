import { printable } from '../../command-line/printable.ts'
import { issueSeconds } from './issuing.ts'
import type { Finding, KeyCheck, Problem } from './key-check.ts'
import type { Report } from './key-report.ts'

const minutes = issueSeconds / 60

/** What is wrong, and what a repair does about it. */
const problems: Readonly<Record<Problem, { readonly what: string; readonly repair: string }>> = {
  unfinished: {
    what: 'the key is being issued at this moment, or its command was interrupted',
    repair: `if it was interrupted, the key ends by itself within ${minutes} minutes of its issue: check again then`,
  },
  gateway_key_without_record: {
    what: 'API Gateway has a key without a record',
    repair: 'the API Gateway key is deleted',
  },
  gateway_key_of_revoked_key: {
    what: 'the key is revoked, but API Gateway has it',
    repair: 'the API Gateway key is deleted',
  },
  gateway_key_of_expired_key: {
    what: 'the key is expired, but API Gateway has it',
    repair: 'the key is revoked and the API Gateway key deleted',
  },
  no_gateway_key: {
    what: 'API Gateway has no key for the record',
    repair: 'the API Gateway key is created in the usage plan of the record',
  },
  wrong_usage_plan: {
    what: 'the API Gateway key is not in the usage plan of the record',
    repair: 'the API Gateway key is moved to the usage plan of the record',
  },
}

/** Reports the differences between the records and API Gateway. */
export const reportCheck = ({ records, gatewayKeys, findings }: KeyCheck): Report => {
  const unrepaired = findings.filter(({ isRepaired }) => !isRepaired).length
  const conclusion =
    findings.length === 0
      ? 'Each usable key is at API Gateway in its usage plan, and no other key is.'
      : `${findings.length} found, ${findings.length - unrepaired} repaired.`
  return {
    json: {
      records,
      gatewayKeys,
      graceMinutes: minutes,
      findings: findings.map(({ keyId, problem, isRepaired, failure }) => ({
        keyId,
        problem,
        repaired: isRepaired,
        failure: failure ?? null,
      })),
    },
    text: [
      ...findings.map(describe),
      `${records} records and ${gatewayKeys} API Gateway keys were compared. ${conclusion}`,
      `An API Gateway key without a record is left alone for ${minutes} minutes from its creation: it may be one that is being issued.`,
    ].join('\n'),
  }
}

const describe = ({ keyId, problem, isRepaired, failure }: Finding): string => {
  const { what, repair } = problems[problem]
  if (isRepaired) return `${keyId}  ${what}. Repaired: ${repair}.`
  if (failure !== undefined) return `${keyId}  ${what}. Not repaired: ${printable(failure)}`
  if (problem === 'unfinished') return `${keyId}  ${what}; ${repair}.`
  return `${keyId}  ${what}. With --repair ${repair}.`
}
