/** `npm run smoke`: runs the end-to-end tests against an environment. */
import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { maximumPerMinute } from '../../../shared/api-keys/plans.ts'
import { interruptible } from '../../command-line/long-work.ts'
import { defaultDataFolder } from '../../command-line/options.ts'
import type { Report } from '../../command-line/report.ts'
import { runTool } from '../../command-line/tool.ts'
import { UserError } from '../../command-line/user-error.ts'
import { administer } from '../keys/administration.ts'
import { type ChangingPlace, changing, environmentTool } from '../target/carry-out.ts'
import { runSuite, type Tests } from './run-suite.ts'
import { keySeconds, smokeKey, sweep } from './sweep.ts'

const description =
  'Runs the end-to-end tests against an environment, with keys that it issues, and waits up to ten minutes while a new one does not respond yet. Afterwards it revokes its keys and removes the pets that they have added. What a run that was killed has left, a later one removes after an hour.'

type Asked = Tests & { readonly data?: string | undefined }

const smoke = (place: ChangingPlace, { data = defaultDataFolder, ...tests }: Asked): Promise<Report> => {
  const { environment, database, tables } = place
  const keys = administer(place)
  // The emulator's address is not that of the stack.
  const { PET_API_URL: baseUrl = place.baseUrl } = process.env
  const run = randomUUID()
  const work = async (signal: AbortSignal): Promise<Report> => {
    await sweep(place, keys, ({ createdAt }) => createdAt + keySeconds < Date.now() / 1_000)
    await place.audit([{ action: 'smoke', ids: [], old: null, new: { contact: run } }])
    await using cleanUp = new AsyncDisposableStack()
    cleanUp.defer(() => sweep(place, keys, ({ contact }) => contact === run))
    const { apiKey } = await keys.issue(smokeKey(run, 'enterprise', { perMinute: maximumPerMinute, perDay: 1_000_000 }))
    const variables = {
      ...{ PET_API_URL: baseUrl, PET_API_KEY: apiKey, PET_API_RUN: run },
      ...(environment === 'local'
        ? { PET_API_DATA: resolve(data) }
        : {
            ...{ PET_API_ENVIRONMENT: environment, PET_API_PETS_TABLE: tables.pets },
            AWS_REGION: await database.config.region(),
          }),
    }
    const counts = await runSuite(variables, tests, signal)
    const { passed, failed, skipped } = counts
    if (passed + failed === 0) throw new UserError(`No test has "${tests.only}" in its name.`)
    const text = `${baseUrl}: ${passed} tests have passed, ${failed} have failed, and ${skipped} were not run.`
    return { json: { environment, baseUrl, ...counts }, text, exitCode: failed === 0 ? 0 : 1 }
  }
  return interruptible(() => 'The keys are revoked.', work)
}

await runTool(
  environmentTool('npm run smoke --', description)
    .option('--read-only', 'only the tests that add no pet')
    .option('--only <text>', 'only the tests whose names match this regular expression')
    .action((options) => changing(options, (place) => smoke(place, options))),
)
