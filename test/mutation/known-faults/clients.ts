import type { KnownFault } from './known-fault.ts'

const everyClient = 'test/unit/infra/reference/clients/every-client.test.ts'
const hostile = 'test/unit/infra/reference/clients/hostile.test.ts'
const typescriptClient = 'test/unit/infra/reference/clients/typescript/pet-adoption-client.test.ts'
const typescript = 'infra/reference/clients/typescript/pet-adoption-client.ts'
const python = 'infra/reference/clients/python/pet_adoption.py'

/** Faults of the clients for TypeScript and Python. */
export const clients: readonly KnownFault[] = [
  {
    title: 'the TypeScript client adds a pet twice when a response is lost',
    file: typescript,
    find: "headers.set('Idempotency-Key', key)",
    replaceBy: '',
    test: everyClient,
  },
  {
    title: 'the TypeScript client sends again before Retry-After is over',
    file: typescript,
    find: 'return retryAfter + Math.random()',
    replaceBy: 'return retryAfter * Math.random()',
    test: everyClient,
  },
  {
    title: 'the TypeScript client follows a redirect with the API key',
    file: typescript,
    find: "redirect: 'manual'",
    replaceBy: "redirect: 'follow'",
    test: everyClient,
  },
  {
    title: 'the TypeScript client rounds a categoryId',
    file: typescript,
    find: 'value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value',
    replaceBy: 'value.startsWith(mark) ? Number(value.slice(mark.length)) : value',
    test: everyClient,
  },
  {
    title: 'the TypeScript client reads a response without end into memory',
    file: typescript,
    find: 'if (length > maximumResponseBytes) {',
    replaceBy: 'if (length > 1e12) {',
    test: hostile,
  },
  {
    title: 'the TypeScript client reads pages without end',
    file: typescript,
    find: 'if (nextCursor === nextQuery.cursor) {',
    replaceBy: 'if (nextCursor === null) {',
    test: everyClient,
  },
  {
    title: 'the Python client adds a pet twice when a response is lost',
    file: python,
    find: ', "Idempotency-Key": key}',
    replaceBy: '}',
    test: everyClient,
  },
  {
    title: 'the TypeScript client gives up a creation whose response is cut off without a length',
    file: typescript,
    find: "if (request.method === 'POST' && isCutOff) {",
    replaceBy: 'if (received.body === received) {',
    test: everyClient,
  },
  {
    title: 'the Python client gives up a creation whose response is cut off without a length',
    file: python,
    find: 'if request.data is not None and is_cut_off:',
    replaceBy: 'if received is None:',
    test: everyClient,
  },
  {
    title: 'the Python client sends again before Retry-After is over',
    file: python,
    find: 'return retry_after + random.uniform(0, max(1, retry_after / 5))',
    replaceBy: 'return random.uniform(0, max(1, retry_after))',
    test: everyClient,
  },
  {
    title: 'the Python client gives up at the first 503',
    file: python,
    find: 'RETRIED_STATUSES = (429, 500, 502, 503, 504)',
    replaceBy: 'RETRIED_STATUSES = (429, 500, 502, 504)',
    test: everyClient,
  },
  {
    title: 'the Python client reads a response without end into memory',
    file: python,
    find: 'MAXIMUM_RESPONSE_BYTES = 2**20',
    replaceBy: 'MAXIMUM_RESPONSE_BYTES = 2**40',
    test: hostile,
  },
  {
    title: 'the Python client takes a redirect for a success',
    file: python,
    find: 'if response.status >= 300:',
    replaceBy: 'if response.status >= 400:',
    test: everyClient,
  },
  {
    title: 'the Python client yields a new pet at each poll again',
    file: python,
    find: 'if pet["id"] not in first_seen:\n                        first_seen[pet["id"]] = time.monotonic()',
    replaceBy: 'if True:\n                        first_seen.setdefault(pet["id"], time.monotonic())',
    test: everyClient,
  },
  {
    title: 'the TypeScript client stops following new pets when the requests of a day are used up',
    file: typescript,
    find: 'longestWaitSeconds: Number.POSITIVE_INFINITY',
    replaceBy: 'longestWaitSeconds: this.#options.longestWaitSeconds',
    test: everyClient,
  },
  {
    title: 'the Python client stops following new pets when the requests of a day are used up',
    file: python,
    find: '_Patience(float("inf"), pause)',
    replaceBy: '_Patience(self._longest_wait, pause)',
    test: everyClient,
  },
  {
    title: 'the TypeScript client gets the first response for ever from the cache of a framework',
    file: typescript,
    find: "({ cache: 'no-store' } as const)",
    replaceBy: "({ cache: 'default' } as const)",
    test: typescriptClient,
  },
  {
    title: 'the Python client sends an empty Idempotency-Key, which adds a pet at each attempt',
    file: python,
    find: 'if not re.fullmatch("[!-~]([ -~]{0,253}[!-~])?", key):',
    replaceBy: 'if key is None:',
    test: everyClient,
  },
  {
    title: 'the Python client waits for ever for a server that drips',
    file: python,
    find: 'self._timer.start()',
    replaceBy: 'pass',
    test: hostile,
  },
]
