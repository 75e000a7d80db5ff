import type { ApiKeyRecord } from '../../../shared/api-keys/api-key-record.ts'
import { systemClock } from '../../../shared/clock.ts'
import { confirmOption, confirmProduction, required, whyOption } from '../../command-line/options.ts'
import type { Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import { readTarget, type Target, targetTool } from '../target/target-tool.ts'
import type { KeyAdministration } from './administration.ts'
import { isFault, reportCheck } from './check-report.ts'
import type { IssuedKey } from './issuing.ts'
import {
  byOption,
  contactOption,
  daysOption,
  expiresOption,
  overlapOption,
  ownerOption,
  perDayOption,
  perMinuteOption,
  planOption,
  readPlan,
  scopeOption,
  stateOption,
} from './key-options.ts'
import { reportIssued, reportKey, reportList, reportRotated } from './key-report.ts'
import { type ReadUsage, reportUsage } from './usage.ts'

/** Where a command works. */
export interface KeyWork {
  readonly keys: KeyAdministration
  /** `undefined` where the environment has no access log. */
  readonly readUsage: ReadUsage | undefined
  /** Milliseconds. */
  readonly now: number
  /** Prints the report of a new key, before its issue is finished: no interruption leaves a key that nobody has seen. */
  readonly show: (issued: IssuedKey, report: Report) => Promise<void>
  /** Ends a command that changes many keys between two of them. */
  readonly signal: AbortSignal | undefined
}

/** @returns undefined where the report was shown already */
type Run = (work: KeyWork) => Promise<Report | undefined>

/** What the command line asks for. */
export interface KeyCommand {
  readonly target: Target
  readonly json: boolean
  readonly why: string | undefined
  readonly action: string
  /**
   * What it may change, so that it must not end between its steps: a key, by its id or by the key itself; all that are
   * active; or keys that it makes or finds. `undefined` where it only reads.
   */
  readonly changes: { readonly key: string } | 'active' | 'found' | undefined
  readonly run: Run
}

const notes = `
Where a command takes an id, it also takes the key itself, and prints the id. The AWS SDK's own settings apply,
such as AWS_PROFILE and AWS_REGION.

Exit codes: 0 done; 1 not done, for the reason that is printed, or "check" found a fault that is not repaired.`

const secondsPerHour = 3_600

/**
 * Reads the command line.
 *
 * @throws UserError that says what to change
 */
export const readKeyCommand = (line: readonly string[], clock = systemClock): KeyCommand => {
  const read: KeyCommand[] = []
  const keys = targetTool('npm run --silent keys --', 'Issues and administers API keys.')
    .addOption(whyOption)
    .addHelpText('after', notes)
  const take = (action: string, changes: KeyCommand['changes'], run: Run): void => {
    const { json = false, why, ...options } = keys.opts()
    read.push({ target: readTarget(options), json, why, action, changes, run })
  }
  /** A command that changes one key, and reports what it is then. */
  const change = (action: string, key: string, act: (keys: KeyAdministration) => Promise<ApiKeyRecord>): void =>
    take(action, { key }, async ({ keys, now }) => reportKey(await act(keys), now))
  keys
    .command('issue')
    .description('make a key; it is shown this once')
    .addOption(planOption)
    .addOption(ownerOption)
    .addOption(contactOption)
    .addOption(scopeOption)
    .addOption(expiresOption(clock()))
    .addOption(perMinuteOption)
    .addOption(perDayOption)
    .action(({ owner, contact, scope, expires: expiresAt, ...limits }) => {
      const order = { owner: required(owner, ownerOption.flags), contact, scope, expiresAt, ...readPlan(limits) }
      take('issue', 'found', async ({ keys, now, show }) => {
        await keys.issue(order, (issued) => show(issued, reportIssued(issued, now)))
        return undefined
      })
    })
  keys
    .command('list')
    .description('all keys, or those that match')
    .addOption(ownerOption)
    .addOption(planOption)
    .addOption(stateOption)
    .action((filter) => take('list', undefined, async ({ keys, now }) => reportList(await keys.list(), filter, now)))
  keys
    .command('show <id>')
    .description('one key, with what it has used')
    .action((key) => take('show', undefined, async ({ keys, now }) => reportKey(await keys.show(key), now)))
  keys
    .command('usage')
    .description('who made how many requests, and whose were limited')
    .addOption(daysOption)
    .addOption(byOption)
    .action(({ days, by }) => {
      take('usage', undefined, async ({ keys, now, readUsage }) => {
        if (readUsage === undefined) {
          throw new UserError('The local environment has no access log, so no usage is known.')
        }
        return reportUsage(await readUsage(days, now), await keys.list(), by)
      })
    })
  keys
    .command('rotate <id>')
    .description('make a successor; the key works for some hours more')
    .addOption(overlapOption)
    .option('--again', 'also where the key has a successor')
    .action((key, { overlapHours, again = false }) => {
      const overlapSeconds = Math.round(overlapHours * secondsPerHour)
      take('rotate', { key }, async ({ keys, now, show }) => {
        const old = await keys.show(key)
        const showNew = (issued: IssuedKey) => show(issued, reportRotated(issued, old, now))
        await keys.rotate(old.keyId, overlapSeconds, showNew, again)
        return undefined
      })
    })
  keys
    .command('move <id>')
    .description('move a key to another plan')
    .addOption(planOption)
    .addOption(perMinuteOption)
    .addOption(perDayOption)
    .action((key, options) => {
      const { plan, allowance } = readPlan(options)
      change('move', key, (keys) => keys.move(key, plan, allowance))
    })
  keys
    .command('edit <id>')
    .description('change the owner or the contact of a key')
    .addOption(ownerOption)
    .addOption(contactOption)
    .action((key, changes) => {
      if (Object.keys(changes).length === 0) throw new UserError('Give --owner NAME, --contact TEXT or both.')
      change('edit', key, (keys) => keys.edit(key, changes))
    })
  keys
    .command('unban <id>')
    .description('end a temporary ban')
    .action((key) => change('unban', key, (keys) => keys.unban(key)))
  keys
    .command('revoke [id]')
    .description('stop a key at once')
    .option('--all', 'all keys of the environment')
    .addOption(confirmOption('to revoke keys of production'))
    .action((key, { all = false, confirm }) => {
      if ((key === undefined) !== all) throw new UserError('Name the key to revoke, or give --all.')
      confirmProduction(readTarget(keys.opts()).environment, confirm)
      if (key === undefined) take('revoke all', 'active', revokeAll)
      else change('revoke', key, (keys) => keys.revoke(key))
    })
  keys
    .command('check')
    .description('find what interrupted commands have left')
    .option('--repair', 'repair it')
    .action(({ repair = false }) => {
      take('check', repair ? 'found' : undefined, async ({ keys }) => {
        const check = await keys.check(repair)
        if (check.findings.some(isFault)) process.exitCode = 1
        return reportCheck(check)
      })
    })
  keys.parse(line, { from: 'user' })
  const [command] = read
  // Without an action, commander has thrown.
  if (command === undefined) throw new Error('No action was read.')
  return command
}

const revokeAll: Run = async ({ keys, signal }) => {
  const tell = (stopped: number, left: number) => {
    if (left % 100 === 0) console.error(`${stopped} keys are revoked; API Gateway still has those of ${left}.`)
  }
  const revoked = await keys.revokeAll(tell, signal)
  return { json: { revoked }, text: `${revoked} keys are revoked.` }
}
