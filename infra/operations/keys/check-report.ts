import { printable } from '../../command-line/printable.ts'
import type { Report } from '../../command-line/report.ts'
import type { Finding, KeyCheck, Problem } from './key-check.ts'

/** What is wrong, and what a repair does about it. */
const problems: Readonly<Record<Problem, readonly [what: string, repair: string]>> = {
  unseen: ['the issue of the key did not end', 'the key is revoked, or kept if it was used'],
  unfinished: ['a command for the key did not end', 'API Gateway follows the record'],
  expired: ['the key is expired', 'the key is revoked and its API Gateway key deleted'],
  no_gateway_key: [
    'API Gateway has no key for the record',
    'the API Gateway key is created in the usage plan of the record',
  ],
  wrong_usage_plan: [
    'the API Gateway key is not in the usage plan of the record',
    'another API Gateway key is created in the usage plan of the record',
  ],
  gateway_key_without_record: ['API Gateway has a key that no record names', 'the API Gateway key is deleted'],
}

/** Whether something is still wrong. That a key is expired is not; only its repair may fail. */
export const isFault = ({ problem, repaired, failure }: Finding): boolean =>
  !repaired && (problem !== 'expired' || failure !== null)

/** Reports what is unfinished, and the differences between the records and API Gateway. */
export const reportCheck = ({ records, gatewayKeys, findings }: KeyCheck): Report => {
  const count = findings.filter(({ repaired }) => repaired).length
  const conclusion =
    findings.length === 0
      ? 'Each usable key is at API Gateway in its usage plan, and no other key is.'
      : `${findings.length} found, ${count} repaired.`
  return {
    json: { records, gatewayKeys, findings },
    text: [
      ...findings.map(describe),
      `${records} records and ${gatewayKeys} API Gateway keys were compared. ${conclusion}`,
    ].join('\n'),
  }
}

const describe = ({ keyId, problem, repaired, failure }: Finding): string => {
  const [what, repair] = problems[problem]
  if (repaired) return `${keyId}  ${what}. Repaired: ${repair}.`
  if (failure !== null) return `${keyId}  ${what}. Not repaired: ${printable(failure)}`
  return `${keyId}  ${what}. With --repair ${repair}.`
}
