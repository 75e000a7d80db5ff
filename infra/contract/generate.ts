/**
 * `npm run generate`: writes `shared/contract/generated/`, the types of the clients, and the rows of the plans and of
 * the operations in README.md. The files are committed, so that a fresh clone type-checks. A test fails
 * when they differ from what this script generates, and so does `generate.ts --check`.
 */
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { fixedPlans } from '../../shared/api-keys/plans.ts'
import { runCommand } from '../command-line/run-command.ts'
import { UserError } from '../command-line/user-error.ts'
import { type Contract, type ContractOperation, contractFile, readContract } from './contract.ts'
import { replaceSection, replaceTableRows } from './edit-text.ts'
import { generatePetFieldsModule } from './pet-fields-module.ts'
import { generatePythonTypes } from './python-types.ts'
import { generateErrorsModule, generateOperationModule, generateRoutesModule } from './service-modules.ts'
import { generateClientTypesModule, generateTypesModule } from './types-module.ts'

const repositoryRoot = fileURLToPath(new URL('../../', import.meta.url))

/** @returns undefined if the file does not exist */
const readRepositoryFile = (path: string): string | undefined =>
  existsSync(repositoryRoot + path) ? readFileSync(repositoryRoot + path, 'utf8') : undefined

const notice = '// Generated from shared/contract/openapi.yaml by `npm run generate`. Do not edit.\n'

const generatedFolder = 'shared/contract/generated'

/** A single file, which callers copy, with the types of the contract in it. */
const pythonClient = 'infra/reference/clients/python/pet_adoption.py'

/**
 * Finds the files that differ from the text that the contract generates.
 *
 * @returns the generated text by the file's path from the repository's root; `undefined` for a file to delete
 * @throws UserError when the contract lacks something that the files need
 */
export const findOutdatedFiles = async (
  contract = readContract(),
): Promise<ReadonlyMap<string, string | undefined>> => {
  const expected = new Map<string, string | undefined>()
  for (const path of globSync(`${generatedFolder}/*`, { cwd: repositoryRoot })) expected.set(path, undefined)
  for (const [path, text] of Object.entries(await generateModules(contract))) expected.set(path, notice + text)
  expected.set('README.md', updateReadmeTables(readRepositoryFile('README.md') ?? '', contract.operations))

  expected.set(pythonClient, updatePythonTypes(readRepositoryFile(pythonClient) ?? '', contract))

  return new Map([...expected].filter(([path, text]) => readRepositoryFile(path) !== text))
}

/** Generates the modules, by their paths from the repository's root. */
const generateModules = async (contract: Contract): Promise<Readonly<Record<string, string>>> => {
  const modules: Record<string, string> = {
    // Stands beside `pet-adoption-client.ts`: callers copy both files.
    'infra/reference/clients/typescript/pet-adoption-api.generated.ts': await generateClientTypesModule(contractFile),
    [`${generatedFolder}/types.ts`]: await generateTypesModule(contractFile),
    [`${generatedFolder}/routes.ts`]: generateRoutesModule(contract),
    [`${generatedFolder}/errors.ts`]: generateErrorsModule(contract),
    [`${generatedFolder}/pet-fields.ts`]: generatePetFieldsModule(contract),
  }
  for (const operation of contract.operations) {
    if (!operation.isReserved) modules[`${generatedFolder}/${operation.name}.ts`] = generateOperationModule(operation)
  }
  return modules
}

/**
 * Updates the types of the contract in the Python client.
 *
 * @throws UserError when the client has no place for them
 */
export const updatePythonTypes = (client: string, { document }: Contract): string =>
  replaceSection(client, {
    file: pythonClient,
    purpose: 'update the types',
    begin: '# Types of the contract: begin. `npm run generate` writes them.\n',
    end: '# Types of the contract: end.',
    section: `\n${generatePythonTypes(document)}\n\n`,
  })

/**
 * Updates the rows of the plans and of the operations in the README. An operation that has a row keeps its text; a new
 * one gets its summary as text.
 *
 * @throws UserError when the README lacks one of the tables
 */
export const updateReadmeTables = (readme: string, operations: readonly ContractOperation[]): string => {
  const withPlans = replaceTableRows(readme, {
    file: 'README.md',
    purpose: 'update the table of plans',
    head: '| plan |',
    // The limits of Enterprise are set for each key.
    isGenerated: (row) => !row.startsWith('| Enterprise'),
    rows: createPlanRows(),
  })
  return replaceTableRows(withPlans, {
    file: 'README.md',
    purpose: 'update the table of operations',
    head: '| operation |',
    isGenerated: () => true,
    rows: createOperationRows(readme, operations),
  })
}

const createPlanRows = (): readonly string[] =>
  Object.entries(fixedPlans).map(([plan, { perMinute, perDay }]) => {
    const title = `${plan.charAt(0).toUpperCase()}${plan.slice(1)}`
    return `| ${title} | ${perMinute.toLocaleString('en-US')} | ${perDay.toLocaleString('en-US')} |`
  })

const createOperationRows = (readme: string, operations: readonly ContractOperation[]): readonly string[] => {
  const lines = readme.split('\n')
  return operations.map(({ method, path, summary }) => {
    const beginning = `| \`${method} ${path}\` |`
    return lines.find((line) => line.startsWith(beginning)) ?? `${beginning} ${summary} |`
  })
}

/** @throws UserError that names the files that differ from what the contract generates */
const check = async (): Promise<void> => {
  const outdated = [...(await findOutdatedFiles()).keys()]
  if (outdated.length > 0) throw new UserError(`Run "npm run generate": it would change ${outdated.join(', ')}.`)
}

const generate = async (): Promise<void> => {
  const outdated = await findOutdatedFiles()
  for (const [path, text] of outdated) {
    if (text === undefined) rmSync(repositoryRoot + path)
    else writeFileSync(repositoryRoot + path, text)
    console.log(`${text === undefined ? 'deleted' : 'wrote'} ${path}`)
  }
  if (outdated.size === 0) console.log('The generated files were up to date.')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runCommand(process.argv.includes('--check') ? check : generate)
}
