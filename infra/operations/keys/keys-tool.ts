import type { ApiKeyRecord } from '../../../shared/api-keys/api-key-record.ts'
import { type Clock, systemClock } from '../../../shared/clock.ts'
import { interruption } from '../../command-line/interruption.ts'
import { amount, type Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import { type ChangingPlace, changing, type EnvironmentOptions, environmentTool, reading } from '../target/carry-out.ts'
import { administer } from './administer.ts'
import type { KeyAdministration } from './administration.ts'
import {
  contactOption,
  expiresOption,
  overlapOption,
  ownerOption,
  perDayOption,
  perMinuteOption,
  planOption,
  readAllowance,
  scopeOption,
  stateOption,
} from './key-options.ts'
import { reportIssued, reportKey, reportList, reportRotated } from './key-report.ts'

const notes = `
Where a command takes an id, it also takes the key itself, and prints the id. A key is shown before it is issued: where
that fails, the last line says that it was not issued.`

/** A tellable part of many keys. */
const keysBetweenLines = 1_000

/** The command line of `npm run keys`. */
export const keysTool = (clock: Clock = systemClock) => {
  const read = (options: EnvironmentOptions, act: (keys: KeyAdministration) => Promise<Report>) =>
    reading(options, (place) => act(administer(place, undefined, clock)))
  const change = (
    options: EnvironmentOptions,
    act: (keys: KeyAdministration, place: ChangingPlace) => Promise<Report | undefined>,
  ) => changing(options, (place) => act(administer(place, place.recorded, clock), place))
  /** A command that changes one key, and reports what it is then. */
  const changeKey = (options: EnvironmentOptions, act: (keys: KeyAdministration) => Promise<ApiKeyRecord>) =>
    change(options, async (keys) => reportKey(await act(keys), clock()))

  const tool = environmentTool('npm run --silent keys --', 'Issues and administers API keys.').addHelpText(
    'after',
    notes,
  )
  tool
    .command('issue')
    .description('make a key; it is shown this once')
    .addOption(planOption().makeOptionMandatory())
    .addOption(ownerOption().makeOptionMandatory())
    .addOption(contactOption())
    .addOption(scopeOption())
    .addOption(expiresOption(clock()))
    .addOption(perMinuteOption())
    .addOption(perDayOption())
    .action(({ owner, contact, plan, scope, expires: expiresAt, ...limits }, command) => {
      const order = { ...{ owner, contact, plan, scope, expiresAt }, allowance: readAllowance(plan, limits) }
      return change(command.optsWithGlobals(), async (keys, { print }) => {
        await keys.issue(order, (issued) => print(reportIssued(issued, clock())))
        return undefined
      })
    })
  tool
    .command('list')
    .description('all keys, or those that match')
    .addOption(ownerOption())
    .addOption(planOption())
    .addOption(stateOption())
    .action((filter, command) =>
      read(command.optsWithGlobals(), async (keys) => reportList(await keys.list(), filter, clock())),
    )
  tool
    .command('show <id>')
    .description('one key, with what it has used')
    .action((id, _options, command) =>
      read(command.optsWithGlobals(), async (keys) => reportKey(await keys.show(id), clock())),
    )
  tool
    .command('rotate <id>')
    .description('make a successor; the key works for 24 hours more')
    .addOption(overlapOption())
    .option('--again', 'also where the key has a successor; the key ends when it was said then')
    .action((id, { overlapHours: overlapSeconds, again = false }, command) =>
      change(command.optsWithGlobals(), async (keys, { print }) => {
        const show: Parameters<typeof keys.rotate>[2] = (issued, old) => print(reportRotated(issued, old, clock()))
        await keys.rotate(id, { overlapSeconds, again }, show)
        return undefined
      }),
    )
  tool
    .command('move <id>')
    .description('move a key to another plan, or give it the limits of its plan')
    .addOption(planOption().makeOptionMandatory())
    .addOption(perMinuteOption())
    .addOption(perDayOption())
    .action((id, { plan, ...limits }, command) => {
      const allowance = readAllowance(plan, limits)
      return changeKey(command.optsWithGlobals(), (keys) => keys.move(id, plan, allowance))
    })
  tool
    .command('edit <id>')
    .description('change the owner or the contact of a key')
    .addOption(ownerOption())
    .addOption(contactOption())
    .action((id, { owner, contact }, command) => {
      if (owner === undefined && contact === undefined)
        throw new UserError('Give --owner NAME, --contact TEXT or both.')
      const changes = {
        ...(owner !== undefined && { owner }),
        ...(contact !== undefined && { contact: contact === '' ? undefined : contact }),
      }
      return changeKey(command.optsWithGlobals(), (keys) => keys.edit(id, changes))
    })
  tool
    .command('unban <id>')
    .description('end a temporary ban')
    .action((id, _options, command) => changeKey(command.optsWithGlobals(), (keys) => keys.unban(id)))
  tool
    .command('revoke [id]')
    .description('stop a key at once')
    .option('--all', 'all keys of the environment')
    .action((id, { all = false }, command) => {
      const options = command.optsWithGlobals()
      if (id !== undefined && !all) return changeKey(options, (keys) => keys.revoke(id))
      if (id !== undefined || !all) throw new UserError('Name the key to revoke, or give --all.')
      return change(options, revokeAll)
    })
  return tool
}

const revokeAll = async (keys: KeyAdministration): Promise<Report> => {
  let soFar = 0
  const tell = (count: number): void => {
    soFar += count
    if (soFar % keysBetweenLines === 0) console.error(`${amount(soFar)} keys are revoked.`)
  }
  const revoked = await keys.revokeAll(interruption(), tell)
  return { json: { revoked }, text: `${amount(revoked)} keys are revoked.` }
}
