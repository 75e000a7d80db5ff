import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { listen } from '../../../../infra/local/gateway/listen.ts'
import { renderChapters } from '../../../../infra/reference/markdown.ts'
import { hasCurl, hasPython, python, runCurl, runProgram } from '../../../fixtures/machine/programs.ts'
import { readProvided } from '../../../fixtures/machine/provided.ts'
import {
  findSection,
  readCodeBlocks,
  readPage,
  readText,
  splitSections,
} from '../../../fixtures/reference/page-text.ts'

const page = await readPage()

it('each link in the page leads to an existing target', async () => {
  const links = [...page.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, link = '']) => link)
  const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => `#${id}`)

  // No id stands twice.
  expect(ids).toHaveLength(new Set(ids).size)
  expect(ids).toEqual(expect.arrayContaining(links.filter((link) => link.startsWith('#'))))
  const files = new Set(links.filter((link) => !link.startsWith('#')))
  // The contract, and the packages of the clients in TypeScript and Python.
  expect(files.size).toBe(3)
  for (const file of files) {
    const response = await fetch(new URL(file, readProvided('reference').url), { method: 'HEAD' })
    expect(response.status, file).toBe(200)
  }
})

it('each heading of a section links to its section', () => {
  const sections = splitSections(page).slice(1)
  // The 14 sections of the guide, and the heading of the operations. With more, the loop runs on the operations too.
  expect(sections.length).toBeGreaterThan(15)
  for (const section of sections) {
    expect(section).toMatch(/^[^>]*\bid="([^"]+)"[^>]*>\s*<(h[23])[^>]*><a href="#\1">/)
  }
})

it('the page says which operation is deprecated and which is reserved', () => {
  expect(readText(findSection(page, 'follow-versions'))).toContain('GET /pets/{petId}, until 5 December 2030')
  expect(findSection(page, 'getPet')).toContain('<p class="badge">Deprecated</p>')
  expect(readText(findSection(page, 'listStoreOrders'))).toMatch(
    /Reserved\..*This panel is off, because the operation is reserved\./s,
  )
})

it('a placeholder of the guide without a value is refused', () => {
  expect(() => renderChapters('## Bans\n\nFor {{first-bann}}.\n', {})).toThrow('unknown placeholder first-bann')
})

const itWithCurl = it.skipIf(!hasCurl())

itWithCurl('the curl options of the guide retry a lost response and a 503', async () => {
  const [command = ''] = readText(findSection(page, 'retry')).match(/curl --retry \d+ [a-z-]+/) ?? []
  const requestedUrls = new Set<string>()
  const server = createServer(({ url = '', socket }, response) => {
    const isFirst = !requestedUrls.has(url)
    requestedUrls.add(url)
    if (!isFirst) response.end('added')
    else if (url === '/lost') socket.destroy()
    else response.writeHead(503).end()
  })
  onTestFinished(() => {
    server.close()
  })
  const baseUrl = `http://127.0.0.1:${await listen(server, 0)}`

  const outputs = await Promise.all(
    ['/lost', '/unavailable'].map((path) => runCurl(`${command} --silent -d '{}' ${baseUrl}${path}`)),
  )

  expect(outputs).toEqual(['added', 'added'])
})

// Without its block of code a program is empty, and its test fails.
const [firstRequest = ''] = readCodeBlocks(findSection(page, 'make-a-first-request'))
const [curl = '', typeScript = '', pythonCode = ''] = readCodeBlocks(findSection(page, 'createPet'))

itWithCurl('the curl code of the first request, and that of createPet, succeeds unchanged', async () => {
  expect(await runCurl(`${firstRequest} --silent --fail`)).toMatch(/"categoryId":\d+/)
  expect(await runCurl(`${curl} --silent --fail`)).toContain('"name":"Bella"')
})

it('the TypeScript code of createPet adds a pet unchanged', async () => {
  const output = await runProgram(process.execPath, ['--input-type=module', '--eval', typeScript])

  expect(output).toMatch(/^201 .*"name":"Bella"/)
})

it.skipIf(!hasPython())('the Python code of createPet adds a pet unchanged', async () => {
  expect(await runProgram(python, ['-c', pythonCode])).toMatch(/^201 .*"name":"Bella"/)
})
