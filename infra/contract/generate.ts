/**
 * Writes `shared/contract/generated/` and the types of the TypeScript client from the contract, and the rows of the plans
 * and the operations into README.md: `npm run generate`. The files are committed, so that a fresh clone type-checks; a test
 * fails when they differ from what this writes.
 */
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { fixedPlans } from '../../shared/api-keys/plans.ts'
import { type Clock, systemClock } from '../../shared/clock.ts'
import { runCommand } from '../command-line/run-command.ts'
import { type Contract, type ContractOperation, contractFile, readContract } from './contract.ts'
import { generateErrorsModule, generateOperationModule, generateRoutesModule } from './service-modules.ts'
import { generateClientTypesModule, generateTypesModule } from './types-module.ts'

const projectFolder = fileURLToPath(new URL('../../', import.meta.url))

const textOf = (path: string): string | undefined =>
  existsSync(projectFolder + path) ? readFileSync(projectFolder + path, 'utf8') : undefined

const notice = '// Generated from shared/contract/openapi.yaml by `npm run generate`. Do not edit.\n'

const generatedFolder = 'shared/contract/generated'

/**
 * The files that are not as the contract has them, by their paths from the project's folder, with the text that they should
 * have; `undefined` for a file that should not be there.
 *
 * @throws UserError when the contract lacks what they need
 */
export const findOutdatedFiles = async (
  contract = readContract(),
): Promise<ReadonlyMap<string, string | undefined>> => {
  const modules: Record<string, string> = {
    // The types of the client beside it, `pet-adoption-client.ts`, which callers copy.
    'infra/reference/clients/typescript/pet-adoption-api.generated.ts': await generateClientTypesModule(contractFile),
    [`${generatedFolder}/types.ts`]: await generateTypesModule(contractFile),
    [`${generatedFolder}/routes.ts`]: generateRoutesModule(contract),
    [`${generatedFolder}/errors.ts`]: generateErrorsModule(contract),
  }
  for (const operation of contract.operations) {
    if (!operation.isReserved) modules[`${generatedFolder}/${operation.name}.ts`] = generateOperationModule(operation)
  }
  const files = new Map<string, string | undefined>([
    ...globSync(`${generatedFolder}/*`, { cwd: projectFolder }).map((path) => [path, undefined] as const),
    ...Object.entries(modules).map(([path, text]) => [path, notice + text] as const),
    ['README.md', updateReadmeTables(textOf('README.md') ?? '', contract.operations)],
  ])
  return new Map([...files].filter(([path, text]) => textOf(path) !== text))
}

/**
 * The README with a row for each plan and for each operation, in the contract's order. The text of an operation that has a
 * row stays; a new one gets its summary.
 */
export const updateReadmeTables = (readme: string, operations: readonly ContractOperation[]): string => {
  const plans = Object.entries(fixedPlans).map(([plan, { perMinute, perDay }]) => {
    const limits = [perMinute, perDay].map((limit) => limit.toLocaleString('en-US'))
    return `| ${plan.charAt(0).toUpperCase()}${plan.slice(1)} | ${limits.join(' | ')} |`
  })
  const described = operations.map(({ method, path, summary }) => {
    const beginning = `| \`${method} ${path}\` |`
    return readme.split('\n').find((line) => line.startsWith(beginning)) ?? `${beginning} ${summary} |`
  })
  const withRows = (text: string, rows: RegExp, lines: readonly string[]): string =>
    text.replace(rows, () => lines.map((line) => `${line}\n`).join(''))
  const withPlans = withRows(readme, /(?<=^\| plan \|.*\n\|-.*\n)(?:\|(?! Enterprise).*\n)*/m, plans)
  return withRows(withPlans, /(?<=^\| operation \|.*\n\|-.*\n)(?:\|.*\n)*/m, described)
}

/** An operation is announced as removed soon from then on, in milliseconds before its sunset. */
const notification = 90 * 24 * 3_600_000

/** The operations that respond 404 soon or already, a sentence each. */
export const announceSunsets = ({ operations }: Contract, clock: Clock): readonly string[] =>
  operations.flatMap(({ operationId, deprecation }) =>
    deprecation !== undefined && clock() >= Date.parse(deprecation.sunset) - notification
      ? [`${operationId} responds 404 from ${deprecation.sunset} on: tell its callers, then remove it.`]
      : [],
  )

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runCommand(async () => {
    const outdated = await findOutdatedFiles()
    for (const [path, text] of outdated) {
      if (text === undefined) rmSync(projectFolder + path)
      else writeFileSync(projectFolder + path, text)
      console.log(`${text === undefined ? 'deleted' : 'wrote'} ${path}`)
    }
    if (outdated.size === 0) console.log('The generated files were up to date.')
    for (const sentence of announceSunsets(readContract(), systemClock)) console.log(sentence)
  })
}
