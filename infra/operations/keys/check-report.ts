import { printable } from '../../command-line/printable.ts'
import type { Report } from '../../command-line/report.ts'
import type { Finding, KeyCheck, Problem } from './key-check.ts'

/** What is wrong, and what a repair does about it. */
const problems: Readonly<Record<Problem, { readonly what: string; readonly repair: string }>> = {
  unseen: {
    what: 'the issue of the key did not end',
    repair: 'the key is revoked, or kept if it was used',
  },
  unfinished: {
    what: 'a command for the key did not end',
    repair: 'API Gateway follows the record',
  },
  expired: {
    what: 'the key is expired',
    repair: 'the key is revoked and its API Gateway key deleted',
  },
  no_gateway_key: {
    what: 'API Gateway has no key for the record',
    repair: 'the API Gateway key is created in the usage plan of the record',
  },
  wrong_usage_plan: {
    what: 'the API Gateway key is not in the usage plan of the record',
    repair: 'another API Gateway key is created in the usage plan of the record',
  },
  gateway_key_without_record: {
    what: 'API Gateway has a key that no record names',
    repair: 'the API Gateway key is deleted',
  },
}

/** Whether something is still wrong. That a key is expired is not; only its repair may fail. */
export const isFault = ({ problem, isRepaired, failure }: Finding): boolean =>
  !isRepaired && (problem !== 'expired' || failure !== undefined)

/** Reports what is unfinished, and the differences between the records and API Gateway. */
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
    ].join('\n'),
  }
}

const describe = ({ keyId, problem, isRepaired, failure }: Finding): string => {
  const { what, repair } = problems[problem]
  if (isRepaired) return `${keyId}  ${what}. Repaired: ${repair}.`
  if (failure !== undefined) return `${keyId}  ${what}. Not repaired: ${printable(failure)}`
  return `${keyId}  ${what}. With --repair ${repair}.`
}
