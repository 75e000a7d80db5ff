/**
 * `npm run generate`: writes `shared/contract/generated/` and the types of the TypeScript client. The files are
 * committed, so that a fresh clone type-checks. `generate.ts --check` fails when they differ from what this script
 * generates, and so does a test.
 */
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { repositoryRoot } from '../command-line/repository-root.ts'
import { runCommand } from '../command-line/run-command.ts'
import { UserError } from '../command-line/user-error.ts'
import { type Contract, contractFile, readContract } from './contract.ts'
import {
  generateErrorsModule,
  generateOperationModule,
  generateRoutesModule,
  generateValidator,
} from './service-modules.ts'
import { generateClientTypesModule, generateTypesModule } from './types-module.ts'

/** @returns undefined if the file does not exist */
const readRepositoryFile = (path: string): string | undefined =>
  existsSync(repositoryRoot + path) ? readFileSync(repositoryRoot + path, 'utf8') : undefined

const notice = '// Generated from shared/contract/openapi.yaml by `npm run generate`. Do not edit.\n'

const generatedFolder = 'shared/contract/generated'

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
  return new Map([...expected].filter(([path, text]) => readRepositoryFile(path) !== text))
}

/** Generates the modules, by their paths from the repository's root. */
const generateModules = async (contract: Contract): Promise<Readonly<Record<string, string>>> => {
  const modules: Record<string, string> = {
    // The file stands beside `pet-adoption-client.ts`, because callers copy both.
    'infra/reference/clients/typescript/pet-adoption-api.generated.ts': await generateClientTypesModule(contractFile),
    [`${generatedFolder}/types.ts`]: await generateTypesModule(contractFile),
    [`${generatedFolder}/routes.ts`]: generateRoutesModule(contract),
    [`${generatedFolder}/errors.ts`]: generateErrorsModule(contract),
  }
  for (const operation of contract.operations) {
    if (operation.isReserved) continue
    modules[`${generatedFolder}/${operation.name}.ts`] = generateOperationModule(operation)
    modules[`${generatedFolder}/${operation.name}.validator.cjs`] = generateValidator(operation.input)
  }
  return modules
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
