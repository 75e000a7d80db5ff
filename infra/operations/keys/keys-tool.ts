import { Option } from '@commander-js/extra-typings'
import { type ApiKeyRecord, scopes } from '../../../shared/api-keys/api-key-record.ts'
import { maximumPerMinute, planNames } from '../../../shared/api-keys/plans.ts'
import { type Clock, systemClock } from '../../../shared/clock.ts'
import { wholeNumber } from '../../command-line/options.ts'
import { amountOf, type Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import { changing, type EnvironmentOptions, environmentTool, reading } from '../target/carry-out.ts'
import { administer, type KeyAdministration, type ShowKey } from './administration.ts'
import { keyStates } from './key.ts'
import { readAllowance, readContact, readDay, readOwner } from './key-options.ts'
import { reportIssued, reportKey, reportList } from './key-report.ts'

const notes = `
Where a command takes an id, it also takes the key itself, and prints the id. A key is shown before it is issued: where
that fails, the last line says that it was not issued.`

const plan = new Option('--plan <name>', 'its plan').choices(planNames).makeOptionMandatory()
const perMinute = new Option(
  '--per-minute <n>',
  'enterprise: its limit per minute; who needs more than 30,000 gets several keys',
).argParser(wholeNumber(1, maximumPerMinute))
const perDay = new Option('--per-day <n>', 'enterprise: its limit per day').argParser(wholeNumber(1, 1e10))
const contact = new Option('--contact <text>', 'how to reach the owner; "" for nothing').argParser(readContact)
const again = new Option('--again', 'also where the key has a successor; the key ends when it was said then')

/** A command with its options and those of the tool. */
interface Parsed {
  optsWithGlobals(): EnvironmentOptions
}

/** The command line of `npm run keys`. */
export const keysTool = (clock: Clock = systemClock) => {
  const read = (command: Parsed, act: (keys: KeyAdministration) => Promise<Report>) =>
    reading(command.optsWithGlobals(), (place) => act(administer(place, clock)))
  const change = (command: Parsed, act: (keys: KeyAdministration) => Promise<Report | undefined>) =>
    changing(command.optsWithGlobals(), (place) => {
      const show: ShowKey = (...issued) => place.print(reportIssued(clock(), ...issued))
      return act(administer({ ...place, show }, clock))
    })
  const changeKey = (command: Parsed, act: (keys: KeyAdministration) => Promise<ApiKeyRecord>) =>
    change(command, async (keys) => reportKey(await act(keys), clock()))

  const tool = environmentTool('npm run --silent keys --', 'Issues and administers API keys.')
  tool.addHelpText('after', notes)
  tool
    .command('issue')
    .description('make a key; it is shown this once')
    .addOption(plan)
    .requiredOption('--owner <name>', 'its owner', readOwner)
    .addOption(contact)
    .addOption(new Option('--scope <name>', 'what it may do').choices(scopes).default('read-write' as const))
    .option('--expires <day>', 'the day from which it does not work, such as 2030-12-31 (UTC)', readDay(clock))
    .addOption(perMinute)
    .addOption(perDay)
    .action(({ expires: expiresAt, ...order }, command) => {
      const allowance = readAllowance(order.plan, order)
      return change(command, async (keys) => void (await keys.issue({ ...order, allowance, expiresAt })))
    })
  tool
    .command('list')
    .description('all keys, or those that match')
    .option('--owner <name>', 'only those of this owner')
    .addOption(new Option('--plan <name>', 'only those of this plan').choices(planNames))
    .addOption(new Option('--state <name>', 'only such keys').choices(keyStates))
    .action((filter, command) => read(command, async (keys) => reportList(await keys.list(), filter, clock())))
  tool
    .command('show <id>')
    .description('one key, with what it has used')
    .action((id, _options, command) => read(command, async (keys) => reportKey(await keys.show(id), clock())))
  tool
    .command('rotate <id>')
    .description('make a successor; the key works for some hours more')
    .option('--overlap-hours <n>', 'how long the key still works', wholeNumber(0, 24 * 30), 24)
    .addOption(again.conflicts('overlapHours'))
    .action((id, { overlapHours, again }, command) => {
      const overlapSeconds = overlapHours * 3_600
      return change(command, async (keys) => void (await keys.rotate(id, { overlapSeconds, again })))
    })
  tool
    .command('move <id>')
    .description('move a key to another plan, or give it the limits of its plan')
    .addOption(plan)
    .addOption(perMinute)
    .addOption(perDay)
    .action((id, { plan, ...limits }, command) => {
      const allowance = readAllowance(plan, limits)
      return changeKey(command, (keys) => keys.move(id, plan, allowance))
    })
  tool
    .command('edit <id>')
    .description('change the owner or the contact of a key')
    .option('--owner <name>', 'its owner', readOwner)
    .addOption(contact)
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
