import { spawn } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { hasPython, node, python, quietEnvironment, runProgram } from '../../../../fixtures/machine/programs.ts'
import { createTemporaryFolder } from '../../../../fixtures/machine/temporary-folder.ts'

const clients = fileURLToPath(new URL('../../../../../infra/reference/clients/', import.meta.url))
const localBaseUrl = 'http://127.0.0.1:3000/v1'

const typeScriptExamples = {
  language: 'typescript',
  program: node,
  first: 'example.ts',
  following: 'follow-new-pets.ts',
}
const pythonExamples = {
  language: 'python',
  program: python,
  first: 'example.py',
  following: 'follow_new_pets.py',
}

/** Copies a client and its examples into a new project, in which an example calls the environment of the tests. */
const createProject = (language: string, example: string): string => {
  const project = createTemporaryFolder()
  cpSync(join(clients, language), project, { recursive: true })
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  const source = readFileSync(join(project, example), 'utf8')
  expect(source).toContain(localBaseUrl)
  writeFileSync(join(project, example), source.replace(localBaseUrl, inject('reference').apiUrl))
  return project
}

const allExamples = hasPython() ? [typeScriptExamples, pythonExamples] : [typeScriptExamples]

describe.each(allExamples)('$language', ({ language, program, first, following }) => {
  it(`${first} lists pets, goes through pages and adds a pet`, async () => {
    const output = await runProgram(program, [first], createProject(language, first))

    expect(output.match(/\bid\W+\d+/g)).toHaveLength(3)
    expect(output.match(/^\d+ .+$/gm)?.length).toBeGreaterThan(3)
    expect(output.trimEnd()).toMatch(/\d{10,} Bella$/)
  })

  it(`${following} prints the pets`, async () => {
    const child = spawn(program, [following], { cwd: createProject(language, following), env: quietEnvironment })
    onTestFinished(() => {
      child.kill()
    })

    const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()

    expect(value).toMatch(/^New: \d+ .+$/)
  })
})
