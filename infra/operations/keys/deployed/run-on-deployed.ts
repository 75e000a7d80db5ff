import { systemClock } from '../../../../shared/clock.ts'
import { printable } from '../../../command-line/printable.ts'
import { withUserErrors } from '../../target/aws-errors.ts'
import { carryOut } from '../carry-out.ts'
import type { DeployedCommand } from '../key-command.ts'
import { openDeployedKeys } from './deployed-keys.ts'
import { checkAccountLimit } from './gateway-keys.ts'
import { waitUntilReady } from './readiness.ts'

/** The key is made and was printed, but did not work in time. */
const notReadyExitCode = 2

// The line may contain text of a server or of AWS.
const tell = (line: string): void => console.error(printable(line))

/** Carries out a command on an environment on AWS. Everything but the result goes to standard error. */
export const runOnDeployed = async (command: DeployedCommand): Promise<void> => {
  const makesKey = command.action === 'issue' || command.action === 'rotate'
  const { environment, outcome } = await withUserErrors(async () => {
    const { environment, administration, gateway } = await openDeployedKeys(command.environment)
    const warning = makesKey ? await checkAccountLimit(gateway) : undefined
    if (warning !== undefined) tell(warning)
    return { environment, outcome: await carryOut(administration, command, systemClock()) }
  })
  process.exitCode = outcome.exitCode
  if (command.action === 'move') {
    tell(
      'API Gateway can take some minutes to know the new plan; requests may be answered 401 api_key_not_ready until then.',
    )
  }
  if (outcome.issued === undefined || command.waitSeconds === 0) return
  const { apiKey, record } = outcome.issued
  const baseUrl = command.url ?? environment.baseUrl
  const reason = await waitUntilReady({ baseUrl, apiKey, seconds: command.waitSeconds, report: tell })
  if (reason === undefined) return
  process.exitCode = notReadyExitCode
  tell(
    `The key ${record.keyId} is made, but does not work at ${baseUrl} yet: ${reason}. It may need some minutes more; "revoke ${record.keyId}" takes it back.`,
  )
}
