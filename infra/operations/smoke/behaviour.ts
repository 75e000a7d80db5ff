/** What AWS does and the service needs, where a request from outside shows it. */
export interface VisibleBehaviour {
  /** Its row of the table "What this rests on" in test/README.md. */
  readonly behaviour: string
  /** The method, and the target below the base URL. */
  readonly request: `${'DELETE' | 'GET' | 'HEAD' | 'OPTIONS' | 'POST'} /${string}`
  /** `spent` is a key without requests remaining. @default a key with requests remaining */
  readonly key?: 'spent' | 'none'
  readonly body?: string
  readonly expected: Expected
}

/** The status, the `code` of the error body, and headers: each its exact value or a pattern. */
export type Expected = { readonly status: string; readonly [name: string]: string | RegExp }

export interface CheckedApi {
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly spentKey: string
}

export interface Finding {
  readonly behaviour: string
  readonly expected: string
  readonly came: string
  readonly isAsExpected: boolean
}

const requestTimeout = 30_000

/** Sends the request of a behaviour, and compares the response. */
export const checkBehaviour = async (
  { baseUrl, apiKey, spentKey }: CheckedApi,
  { behaviour, request, key, body, expected }: VisibleBehaviour,
): Promise<Finding> => {
  const [method = '', target = ''] = request.split(' ')
  const wanted = Object.entries(expected)
  const values = await fetch(baseUrl + target, {
    method,
    headers: {
      ...(key === 'none' ? {} : { Authorization: `Bearer ${key === 'spent' ? spentKey : apiKey}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
    signal: AbortSignal.timeout(requestTimeout),
  }).then(
    async (response) => valuesOf(response, await response.text()),
    (error: unknown) => (name: string) => (name === 'status' ? `none (${String(error)})` : 'none'),
  )
  return {
    behaviour,
    expected: listed(wanted.map(([name, value]) => [name, value instanceof RegExp ? value.source : value])),
    came: listed(wanted.map(([name]) => [name, values(name)])),
    isAsExpected: wanted.every(([name, value]) =>
      value instanceof RegExp ? value.test(values(name)) : value === values(name),
    ),
  }
}

const valuesOf =
  ({ status, headers }: Response, text: string) =>
  (name: string): string => {
    if (name === 'status') return String(status)
    if (name === 'code') return /"code":"(\w+)"/.exec(text)?.[1] ?? 'none'
    return headers.get(name) ?? 'none'
  }

const listed = (values: readonly (readonly [name: string, value: string])[]): string =>
  values.map(([name, value]) => `${name}: ${value}`).join(', ')
