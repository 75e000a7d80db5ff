/** Creates a request to a service whose protocol is JSON. */
const callOperation = (target: string, input: object = {}): RequestInit => {
  const headers = { 'X-Amz-Target': target, 'Content-Type': 'application/x-amz-json-1.1' }
  return { method: 'POST', headers, body: JSON.stringify(input) }
}

/** Creates a request to a service whose protocol is a query. */
const callAction = (action: string, version: string): RequestInit => ({
  method: 'POST',
  body: new URLSearchParams({ Action: action, Version: version }),
})

/** Requests that list what an account has. No list has more entries than its first page. */
const listRequests: readonly { readonly path: string; readonly init?: RequestInit }[] = [
  { path: '/', init: callOperation('DynamoDB_20120810.ListTables') },
  { path: '/', init: callOperation('Logs_20140328.DescribeLogGroups', { logGroupNamePattern: 'pet-adoption' }) },
  { path: '/', init: callOperation('AWSEvents.ListRules') },
  { path: '/', init: callAction('ListRoles', '2010-05-08') },
  { path: '/', init: callAction('DescribeAlarms', '2010-08-01') },
  // The buckets.
  { path: '/' },
  { path: '/2015-03-31/functions' },
  { path: '/2018-10-31/layers' },
  { path: '/restapis?limit=500' },
  { path: '/usageplans?limit=500' },
  { path: '/apikeys?limit=500' },
  { path: '/2020-05-31/distribution' },
  { path: '/2020-05-31/origin-access-control' },
  { path: '/2020-05-31/response-headers-policy' },
]

/**
 * Lists the names of the resources of an environment, whatever stack they belong to: tables, log groups, rules, roles,
 * alarms, buckets, functions, layers, REST APIs, usage plans, API Gateway keys, and the parts of CloudFront.
 */
export const listResourceNames = async (emulatorUrl: string, environment: string): Promise<readonly string[]> => {
  const pattern = new RegExp(`(?<=[">])[\\w/.-]*pet-adoption-${environment}[\\w.-]*(?=["<])`, 'g')
  const names = new Set<string>()
  for (const { path, init } of listRequests) {
    const response = await fetch(emulatorUrl + path, init)
    const text = await response.text()
    if (!response.ok) throw new Error(`${path} failed: ${text}`)
    // Tags that CloudFormation adds have the names of stacks.
    const textWithoutTags = text.replaceAll(/<Tags>.*?<\/Tags>|"tags": ?\{[^}]*\}/gs, '')
    for (const [name] of textWithoutTags.matchAll(pattern)) names.add(name)
  }
  return [...names].toSorted()
}
