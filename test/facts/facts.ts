/** `npm run facts`: asks AWS for the behaviour that the service rests on. */
import { randomUUID } from 'node:crypto'
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import { formatExamples, runCommandLine } from '../../infra/command-line/command.ts'
import { makePrintable } from '../../infra/command-line/printable.ts'
import type { Report } from '../../infra/command-line/report.ts'
import { describeError } from '../../infra/command-line/run-command.ts'
import { UsageError } from '../../infra/command-line/user-error.ts'
import {
  confirmOption,
  createEnvironmentCommand,
  runAuditedCommand,
  whyOption,
} from '../../infra/commands/environment/environment-command.ts'
import type { Environment, Operator } from '../../infra/commands/environment/open-environment.ts'
import { issueKey } from '../../infra/commands/keys/issue-key.ts'
import { removePets } from '../../infra/commands/pets/edit-pets.ts'
import { createSmokeKeyOrder, findPetsOfRun } from '../../infra/commands/smoke/smoke-keys.ts'
import { systemClock } from '../../shared/clock.ts'
import { type DeployedApi, type Fact, factsOfAws } from './facts-of-aws.ts'

const description =
  'Sends requests to the API of staging, reads the settings of its tables, and says which behaviour of AWS, of that ' +
  'which the service rests on, is as AWS documents it. Its keys end after an hour, and it removes the pets that it ' +
  'adds. It changes nothing else.'

interface FactsOptions {
  readonly baseUrl?: string | undefined
  readonly referenceUrl?: string | undefined
}

/** Reads the address of the API reference; undefined if the stack is not deployed, as `reference: false` demands. */
const readReferenceUrl = async ({ name, database }: Environment): Promise<string | undefined> => {
  const client = new CloudFormationClient({ region: await database.config.region() })
  const describeStacks = new DescribeStacksCommand({ StackName: `pet-adoption-${name}-reference` })
  const { Stacks = [] } = await client.send(describeStacks).catch((error: unknown) => {
    // CloudFormation responds with this error for a stack that does not exist.
    if (error instanceof Error && error.name === 'ValidationError') return { Stacks: [] }
    throw error
  })
  return Stacks[0]?.Outputs?.find(({ OutputKey }) => OutputKey === 'ReferenceUrl')?.OutputValue
}

/** Checks a fact. @returns what AWS does otherwise, if it does */
const findContradiction = async ({ check }: Fact, api: DeployedApi): Promise<string | undefined> => {
  try {
    await check(api)
    return undefined
  } catch (error) {
    return makePrintable(describeError(error))
  }
}

const checkFacts = async (environment: Environment, operator: Operator, options: FactsOptions): Promise<Report> => {
  if (environment.name !== 'staging') throw new UsageError('The facts are those of staging: use --env staging.')

  const runId = randomUUID()
  // The keys end by themselves, so nobody needs to see their ids.
  const context = { environment, operator, clock: systemClock, announce: () => undefined }
  const api: DeployedApi = {
    baseUrl: options.baseUrl ?? environment.baseUrl,
    referenceUrl: options.referenceUrl ?? (await readReferenceUrl(environment)),
    database: environment.database,
    expiringTables: [environment.tables.idempotency, environment.tables.audit],
    issueKey: async (limits) => {
      const { apiKey } = await issueKey(context, createSmokeKeyOrder(runId, 'enterprise', limits))
      return apiKey
    },
  }

  const rows: (Omit<Fact, 'check'> & { readonly contradiction: string | null })[] = []
  try {
    for (const fact of factsOfAws) {
      const { behaviour, document } = fact
      const contradiction = (await findContradiction(fact, api)) ?? null
      rows.push({ behaviour, document, contradiction })
      console.error(`${contradiction === null ? 'as documented' : 'CONTRADICTED'}  ${behaviour}`)
    }
  } finally {
    await removePets({ environment, operator }, await findPetsOfRun(environment, runId))
  }

  const contradicted = rows.filter(({ contradiction }) => contradiction !== null)
  const lines = contradicted.map(
    ({ behaviour, document, contradiction }) => `- ${behaviour}\n  ${contradiction}\n  ${document}`,
  )
  return {
    json: { environment: environment.name, baseUrl: api.baseUrl, facts: rows },
    text: [
      `${rows.length - contradicted.length} facts are as documented, ${contradicted.length} are not.`,
      ...lines,
    ].join('\n'),
    exitCode: contradicted.length === 0 ? 0 : 1,
  }
}

const command = createEnvironmentCommand('npm run facts --', description)
  .addOption(whyOption)
  .addOption(confirmOption)
  .option('--base-url <url>', 'the address of the API (default: that of the environment)')
  .option('--reference-url <url>', 'the address of the API reference (default: that of the environment)')
  .addHelpText('after', formatExamples('npm run facts -- --env staging'))
  .action((options) =>
    runAuditedCommand(options, (environment, operator) => checkFacts(environment, operator, options)),
  )

await runCommandLine(command)
