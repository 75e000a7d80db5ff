/** The command lines of `pets sync` and `pets release`. */
import { InvalidArgumentError } from '@commander-js/extra-typings'
import { systemClock } from '../../../../shared/clock.ts'
import { parseInt64 } from '../../../../shared/int64.ts'
import { formatExamples } from '../../../command-line/command.ts'
import { resolveOperatorPath } from '../../../command-line/operator-path.ts'
import { ChangeAudit } from '../../environment/change-audit.ts'
import {
  type createAuditedCommand,
  runAuditedCommand,
  runEnvironmentCommand,
} from '../../environment/environment-command.ts'
import { standardInput } from '../rows/read-text.ts'
import { readShelterFile } from './read-file.ts'
import { releasePet } from './release.ts'
import { readSettings } from './settings.ts'
import { syncFile } from './sync.ts'

const syncDescription =
  "bring a shelter's animals to what its nightly file says: new ones are added, changed ones changed, those that are " +
  'no longer in it removed or sold'

/** Adds the commands that keep the animals of a shelter as its file has them. */
export const addSyncCommands = (tool: ReturnType<typeof createAuditedCommand>): void => {
  tool
    .command('sync')
    .argument('<file>', 'the file as the software of the shelter has written it', parseShelterFile)
    .requiredOption('--source <settings>', 'the settings of the source, a YAML file', resolveOperatorPath)
    .option('--dry-run', 'only show what would be done')
    .option(
      '--accept-changes',
      'make the changes also if they are too many for one night, as those of a first load are',
    )
    .option('--reread', 'compare all listings with the pets first, as after a restore of pets or of a table')
    .description(syncDescription)
    .addHelpText(
      'after',
      formatExamples('npm run --silent pets -- sync animals.csv --source elm-street.yaml --env staging --dry-run'),
    )
    .action((file, { source, dryRun = false, acceptChanges, reread }, command) => {
      const settings = readSettings(source)
      const request = {
        settings,
        file: readShelterFile(file, settings),
        acceptChanges,
        reread,
        clock: systemClock,
      }
      const options = command.optsWithGlobals()
      if (dryRun) return runEnvironmentCommand(options, (environment) => syncFile(environment, undefined, request))
      return runAuditedCommand(options, (environment, operator) =>
        syncFile(environment, new ChangeAudit(environment, operator), request),
      )
    })

  tool
    .command('release')
    .argument('<id>', 'the id of a pet from a file', parsePetId)
    .description('give a pet back to its source after changes by hand: it becomes as the last file had it')
    .action((id, _options, command) =>
      runAuditedCommand(command.optsWithGlobals(), (environment, operator) =>
        releasePet(environment, new ChangeAudit(environment, operator), id),
      ),
    )
}

const parseShelterFile = (path: string): string => {
  if (path !== standardInput) return resolveOperatorPath(path)
  throw new InvalidArgumentError('It must be a file. Standard input that breaks off looks like a whole file.')
}

const parsePetId = (text: string): bigint => {
  const id = parseInt64(text)
  if (id === undefined) throw new InvalidArgumentError('It must be the id of a pet.')
  return id
}
