import { Option } from '@commander-js/extra-typings'
import { scopes } from '../../../shared/api-keys/api-key-record.ts'
import { type Clock, systemClock } from '../../../shared/clock.ts'
import { decimalNumber } from '../../command-line/options.ts'
import { amountOf, type Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import { changing, type EnvironmentOptions, environmentTool, reading } from '../target/carry-out.ts'
import { administer, type KeyAdministration, type ShowKey } from './administration.ts'
import { keyStates } from './key.ts'
import {
  contactOption,
  ownerOption,
  perDayOption,
  perMinuteOption,
  planOption,
  readAllowance,
  readDay,
} from './key-options.ts'
import { reportIssued, reportKey, reportList } from './key-report.ts'

const notes = `
Where a command takes an id, it also takes the key itself, and prints the id. A key is shown before it is issued: where
that fails, the last line says that it was not issued.`

const again = 'also where the key has a successor; the key ends when it was said then'

/** A command with its options and those of the tool. */
interface Parsed {
  optsWithGlobals(): EnvironmentOptions
}

/** The command line of `npm run keys`. */
export const keysTool = (clock: Clock = systemClock) => {
  const read = (command: Parsed, act: (keys: KeyAdministration) => Promise<Report>) =>
    reading(command.optsWithGlobals(), (place) => act(administer(place, clock)))
  const change = (command: Parsed, act: (keys: KeyAdministration, show: ShowKey) => Promise<Report | undefined>) =>
    changing(command.optsWithGlobals(), (place) =>
      act(administer(place, clock), (...issued) => place.print(reportIssued(clock(), ...issued))),
    )
  /** A command that shows a key before it issues it, and has nothing to say then. */
  const issue = (command: Parsed, act: (keys: KeyAdministration, show: ShowKey) => Promise<unknown>) =>
    change(command, async (keys, show) => void (await act(keys, show)))
  /** A command that changes one key, and reports what it is then. */
  const changeKey = (command: Parsed, act: (keys: KeyAdministration) => Promise<Parameters<typeof reportKey>[0]>) =>
    change(command, async (keys) => reportKey(await act(keys), clock()))
  const tool = environmentTool('npm run --silent keys --', 'Issues and administers API keys.')
  tool.addHelpText('after', notes)
  tool
    .command('issue')
    .description('make a key; it is shown this once')
    .addOption(planOption().makeOptionMandatory())
    .addOption(ownerOption().makeOptionMandatory())
    .addOption(contactOption())
    .addOption(new Option('--scope <name>', 'what it may do').choices(scopes).default('read-write' as const))
    .option('--expires <day>', 'the day from which it does not work, such as 2030-12-31 (UTC)', readDay(clock))
    .addOption(perMinuteOption())
    .addOption(perDayOption())
    .action(({ plan, expires: expiresAt, perMinute, perDay, ...order }, command) => {
      const allowance = readAllowance(plan, { perMinute, perDay })
      return issue(command, (keys, show) => keys.issue({ ...order, plan, allowance, expiresAt }, show))
    })
  tool
    .command('list')
    .description('all keys, or those that match')
    .option('--owner <name>', 'only those of this owner')
    .addOption(planOption())
    .addOption(new Option('--state <name>', 'only such keys').choices(keyStates))
    .action((filter, command) => read(command, async (keys) => reportList(await keys.list(), filter, clock())))
  tool
    .command('show <id>')
    .description('one key, with what it has used')
    .action((id, _options, command) => read(command, async (keys) => reportKey(await keys.show(id), clock())))
  tool
    .command('rotate <id>')
    .description('make a successor; the key works for 24 hours more')
    .option('--overlap-hours <n>', 'how long the key still works (default: 24)', decimalNumber(0, 24 * 30))
    .addOption(new Option('--again', again).conflicts('overlapHours'))
    .action((id, { overlapHours, again }, command) => {
      const overlapSeconds = overlapHours === undefined ? undefined : Math.round(overlapHours * 3_600)
      return issue(command, (keys, show) => keys.rotate(id, { overlapSeconds, again }, show))
    })
  tool
    .command('move <id>')
    .description('move a key to another plan, or give it the limits of its plan')
    .addOption(planOption().makeOptionMandatory())
    .addOption(perMinuteOption())
    .addOption(perDayOption())
    .action((id, { plan, ...limits }, command) => {
      const allowance = readAllowance(plan, limits)
      return changeKey(command, (keys) => keys.move(id, plan, allowance))
    })
  tool
    .command('edit <id>')
    .description('change the owner or the contact of a key')
    .addOption(ownerOption())
    .addOption(contactOption())
    .action((id, options, command) => {
      if (Object.keys(options).length === 0) throw new UserError('Give --owner NAME, --contact TEXT or both.')
      const changes = options.contact === '' ? { ...options, contact: undefined } : options
      return changeKey(command, (keys) => keys.edit(id, changes))
    })
  tool
    .command('unban <id>')
    .description('end a temporary ban')
    .action((id, _options, command) => changeKey(command, (keys) => keys.unban(id)))
  tool
    .command('revoke [id]')
    .description('stop a key at once')
    .option('--all', 'all keys of the environment')
    .action((id, { all = false }, command) => {
      if (id !== undefined && !all) return changeKey(command, (keys) => keys.revoke(id))
      if (id !== undefined || !all) throw new UserError('Name the key to revoke, or give --all.')
      return change(command, async (keys) => {
        const revoked = await keys.revokeAll()
        return { json: { revoked }, text: `Revoked ${amountOf(revoked, 'key')}.` }
      })
    })
  return tool
}
