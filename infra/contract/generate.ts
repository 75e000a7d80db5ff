/**
 * Writes `shared/contract/generated/` and the types of the TypeScript client from the contract, and the rows of the plans
 * and the operations into README.md, and lints the contract: `npm run generate`. The files are committed, so that a fresh
 * clone type-checks; tests fail when they differ from what this writes.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../../shared/clock.ts'
import { runCommand } from '../command-line/run-command.ts'
import { UserError } from '../command-line/user-error.ts'
import { contractFile, readContract } from './contract.ts'
import { errorsModule } from './errors-module.ts'
import { lint, sunsets } from './lint.ts'
import { operationModule } from './operation-module.ts'
import { readmeTables } from './readme-tables.ts'
import { routesModule } from './routes-module.ts'
import { clientTypesModule, typesModule } from './types-module.ts'
import { validatorModule, validatorTypes } from './validator-module.ts'

export const generatedFolder = new URL('../../shared/contract/generated/', import.meta.url)

/** The types of the client beside it, `pet-adoption-client.ts`, which callers copy. */
export const clientTypesFile = new URL('../reference/clients/typescript/pet-adoption-api.ts', import.meta.url)

export const generateClientTypes = (): Promise<string> => clientTypesModule(contractFile)

/** The generated files by name, with their whole text. @throws UserError when the contract lacks what they need */
export const generate = async (): Promise<ReadonlyMap<string, string>> => {
  const contract = readContract()
  const files = new Map([
    ['types.ts', await typesModule(contractFile)],
    ['routes.ts', routesModule(contract)],
    ['errors.ts', errorsModule(contract)],
  ])
  for (const operation of contract.operations.filter(({ isReserved }) => !isReserved)) {
    files.set(`${operation.name}.ts`, operationModule(operation))
    files.set(`${operation.name}.validator.js`, validatorModule(operation))
    files.set(`${operation.name}.validator.d.ts`, validatorTypes)
  }
  return files
}

const readmeFile = new URL('../../README.md', import.meta.url)

const pathOf = (file: URL): string =>
  fileURLToPath(file).slice(fileURLToPath(new URL('../../', import.meta.url)).length)

/** @returns whether the file had another text */
const write = (file: URL, text: string): boolean => {
  const isChanged = !existsSync(file) || readFileSync(file, 'utf8') !== text
  if (isChanged) writeFileSync(file, text)
  return isChanged
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runCommand(async () => {
    const files = new Map([...(await generate())].map(([name, text]) => [new URL(name, generatedFolder), text]))
    const names = [...files.keys()].map(String)
    for (const name of readdirSync(generatedFolder)) {
      const file = new URL(name, generatedFolder)
      if (names.includes(file.href)) continue
      rmSync(file)
      console.log(`deleted ${pathOf(file)}`)
    }
    files.set(clientTypesFile, await generateClientTypes())
    const { operations } = readContract()
    files.set(readmeFile, readmeTables(readFileSync(readmeFile, 'utf8'), operations))
    const written = [...files].filter(([file, text]) => write(file, text)).map(([file]) => pathOf(file))
    console.log(written.map((path) => `wrote ${path}`).join('\n') || 'The generated files were up to date.')
    for (const sentence of sunsets(operations, systemClock())) console.log(sentence)
    const problems = await lint(contractFile)
    if (problems.length > 0) {
      throw new UserError(`Correct shared/contract/openapi.yaml:\n${problems.join('\n')}`)
    }
  })
}
