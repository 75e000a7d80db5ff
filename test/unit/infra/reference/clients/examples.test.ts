import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { listen } from '../../../../../infra/local/gateway/listen.ts'
import { hasPython, node, python, runProgram } from '../../../../fixtures/machine/programs.ts'
import { createTemporaryFolder } from '../../../../fixtures/machine/temporary-folder.ts'

interface ClientExamples {
  readonly language: 'typescript' | 'python'
  readonly program: string
  readonly first: string
  readonly following: string
  /** Arguments before the name of an example, for a clock that advances only during waits. */
  readonly virtualClock: readonly string[]
}

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const clients = join(root, 'infra/reference/clients')
const guide = readFileSync(join(root, 'infra/reference/guide.md'), 'utf8')
const localBaseUrl = 'http://127.0.0.1:3000/v1'

const typeScriptExamples: ClientExamples = {
  language: 'typescript',
  program: node,
  first: 'example.ts',
  following: 'follow-new-animals.ts',
  virtualClock: ['--import', new URL('virtual-clock.mjs', import.meta.url).href],
}

const pythonExamples: ClientExamples = {
  language: 'python',
  program: python,
  first: 'example.py',
  following: 'follow_new_animals.py',
  virtualClock: [fileURLToPath(new URL('virtual_clock.py', import.meta.url))],
}

const allExamples = hasPython() ? [typeScriptExamples, pythonExamples] : [typeScriptExamples]

/** Copies a client and its examples into a new project, in which one example calls another base URL. */
const createProjectFor = (baseUrl: string, language: string, file: string): string => {
  const project = createTemporaryFolder()
  cpSync(join(clients, language), project, { recursive: true })
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  const example = readFileSync(join(project, file), 'utf8')
  expect(example).toContain(localBaseUrl)
  writeFileSync(join(project, file), example.replace(localBaseUrl, baseUrl))
  return project
}

/**
 * Pages of the list at each poll, as the ids of their animals. 40 and 55 appear late: below animals that an earlier
 * poll has seen.
 */
const polls = [
  [[50, 30]],
  [
    [60, 50],
    [40, 30],
  ],
  [
    [90, 60],
    [55, 50],
    [40, 30],
  ],
]

/** Serves the pages of each poll. A request without a cursor begins a poll. */
const servePolls = async () => {
  const authorizations = new Set<string | undefined>()
  let poll = -1
  const server = createServer(({ url = '', headers }, response) => {
    authorizations.add(headers.authorization)
    const cursor = new URL(url, 'http://localhost').searchParams.get('cursor')
    if (cursor === null) poll += 1

    const pages = polls[poll] ?? []
    const pageNumber = Number(cursor ?? 0)
    const pets = pages[pageNumber]?.map((id) => ({ id, name: `Pet ${id}`, categoryId: 1, status: 'available' }))
    response.setHeader('Content-Type', 'application/json')
    if (pageNumber + 1 < pages.length) {
      response.setHeader('Link', `</v1/pets?cursor=${pageNumber + 1}>; rel="next"`)
    }
    response.end(JSON.stringify(pets))
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { baseUrl: `http://127.0.0.1:${await listen(server, 0)}/v1`, authorizations }
}

describe.each(allExamples)('$language', ({ language, program, first, following, virtualClock }) => {
  it(`${first} lists pets, goes through pages and adds a pet`, async () => {
    const project = createProjectFor(inject('reference').apiUrl, language, first)

    const output = await runProgram(program, [first], project)

    expect(output.match(/\bid\W+\d+/g)).toHaveLength(3)
    expect(output.match(/^\d+ .+$/gm)?.length).toBeGreaterThan(3)
    expect(output.trimEnd()).toMatch(/\d{10,} Bella$/)
  })

  it(`${following} prints each animal once, with a demo key of the local environment`, async () => {
    const { baseUrl, authorizations } = await servePolls()
    const project = createProjectFor(baseUrl, language, following)

    const output = await runProgram(program, [...virtualClock, following], project)

    expect(output.trimEnd().split(/\r?\n/)).toEqual([
      'New: 50 Pet 50',
      'New: 30 Pet 30',
      'New: 60 Pet 60',
      'New: 40 Pet 40',
      'New: 90 Pet 90',
      'New: 55 Pet 55',
    ])
    const demoKeys = Object.values(inject('reference').demoKeys)
    expect(demoKeys.map((key) => `Bearer ${key}`)).toEqual(expect.arrayContaining([...authorizations]))
  })
})

it('the guide has the settings of both clients with their defaults', () => {
  const typeScriptClient = readFileSync(join(clients, 'typescript/pet-adoption-client.ts'), 'utf8')
  const pythonClient = readFileSync(join(clients, 'python/pet_adoption.py'), 'utf8')

  const settings = [...guide.matchAll(/^\| `(\w+)`(?:, in Python `(\w+)`)? \| (\d+)(?: s)? \|/gm)]
  expect(settings).toHaveLength(3)
  for (const [, typeScriptName, pythonName = typeScriptName, defaultValue] of settings) {
    expect(typeScriptClient).toContain(`    ${typeScriptName} = ${defaultValue},\n`)
    expect(pythonClient).toMatch(new RegExp(`^ {8}${pythonName}: (int|float) = ${defaultValue},$`, 'm'))
  }
})
