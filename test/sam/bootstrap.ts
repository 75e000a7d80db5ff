/**
 * The runtime in the container of `sam.test.ts`. Like Lambda's own `nodejs24.x`, it uses the Runtime API: it gets an
 * event, invokes the handler, and posts the result. See "Using the Lambda runtime API for custom runtimes" in the AWS
 * Lambda Developer Guide.
 */
const { AWS_LAMBDA_RUNTIME_API = '', _HANDLER = '' } = process.env
const [file = '', exportName = ''] = _HANDLER.split('.')
const invocations = `http://${AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/invocation`
const { [exportName]: handler } = await import(`/var/task/${file}.js`)

const post = (url: string, body: unknown) => fetch(url, { method: 'POST', body: JSON.stringify(body) })

for (;;) {
  const next = await fetch(`${invocations}/next`)
  const awsRequestId = next.headers.get('lambda-runtime-aws-request-id') ?? ''
  const deadline = Number(next.headers.get('lambda-runtime-deadline-ms'))
  const context = { awsRequestId, getRemainingTimeInMillis: () => deadline - Date.now() }
  try {
    const result = await handler(await next.json(), context)
    await post(`${invocations}/${awsRequestId}/response`, result)
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown))
    const failure = { errorType: error.name, errorMessage: error.message, trace: [] }
    await post(`${invocations}/${awsRequestId}/error`, failure)
  }
}
